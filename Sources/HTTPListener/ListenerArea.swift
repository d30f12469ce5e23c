import Text

extension HTTPListenerConfiguration {
    /// Paths whose errors and bodies have rules of their own.
    ///
    /// - Source: contrib/contract/web.md, "Areas".
    package struct Area: Sendable, Hashable {
        /// The path that it begins with, such as `/thing-if`.
        package let prefix: String
        package let errorFormat: ErrorFormat
        /// Longest body of a request, bytes.
        package let maximumBodyBytes: Int
        /// Those of the prefix; the first one is empty.
        private let parts: [String]

        /// - Parameter prefix: Absolute, not encoded, and without a slash at its end.
        package init(prefix: String, errorFormat: ErrorFormat, maximumBodyBytes: Int) {
            (self.prefix, self.errorFormat) = (prefix, errorFormat)
            self.maximumBodyBytes = maximumBodyBytes
            parts = prefix[...].parts(between: "/").map(String.init)
        }

        /// Whether a path is the prefix or below it.
        ///
        /// Parts are decoded before they are compared, and count as a whole: `/%74hing-if/apps` is below `/thing-if`, and
        /// `/thing-iffy` is not.
        fileprivate func contains(_ path: Substring) -> Bool {
            let first = path.parts(between: "/", maxSplits: parts.count).prefix(parts.count)
            return first.count == parts.count && zip(first, parts).allSatisfy { $0.percentDecoded == $1 }
        }
    }

    /// The area of a request; `nil` for one with the usual rules.
    ///
    /// - Parameter target: The path of the request, with or without its query.
    package func area(of target: String) -> Area? {
        guard !areas.isEmpty else { return nil }
        let path = RequestTarget(target).path
        return areas.first { $0.contains(path) }
    }

    /// The longest body for a request, bytes.
    ///
    /// - Parameter target: The path of the request, with or without its query.
    package func maximumBodyBytes(of target: String) -> Int {
        if !bodyLimits.isEmpty, let limit = bodyLimits[String(RequestTarget(target).path)] { return limit }
        return area(of: target)?.maximumBodyBytes ?? maximumBodyBytes
    }

    /// How an error of a request is reported.
    ///
    /// - Parameter target: `nil` if it is not known.
    func errorFormat(of target: String?) -> ErrorFormat {
        target.flatMap { area(of: $0) }?.errorFormat ?? errorFormat
    }
}
