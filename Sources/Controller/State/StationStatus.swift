/// How the announcement of this station's address stands.
package struct StationStatus: Sendable, Hashable {
    /// What the announcer has just found.
    package struct Report: Sendable, Hashable {
        /// In stored form.
        package let serial: String
        /// `HOST:PORT`.
        package let resolver: String
        /// As the resolver tells it; `nil` before it has.
        package let address: String?
        /// What was wrong, as a sentence; `nil` for nothing.
        package let error: String?

        package init(serial: String, resolver: String, address: String?, error: String?) {
            (self.serial, self.resolver, self.address, self.error) = (serial, resolver, address, error)
        }
    }

    package let report: Report
    /// When it began to succeed, or to fail.
    package let since: Instant
}
