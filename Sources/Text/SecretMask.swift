import Glibc
package import JSON

/// Replaces secrets by `***`: the one function for every output that may repeat what somebody sent.
///
/// A secret in the wrong place, as a token that was sent as a value, a topic or a `tx`, would otherwise be repeated to
/// all who read there. How much is masked depends on the reader:
/// - The sender, and others who may send too, get texts without ``tokens``. Passwords stay, because a mask of a password
///   would confirm a guess of it.
/// - Whoever reads only, as the log or the command log, gets texts without sessions and the known passwords either.
package struct SecretMask: Sendable, Hashable {
    /// What secrets begin with, by what they are for; sessions begin with nothing.
    ///
    /// Each has four characters, `tl?_`. A further one is masked everywhere from then on.
    package enum Prefix: String, CaseIterable, Sendable {
        /// Tokens of users.
        case token = "tlu_"
        /// Secrets of links.
        case link = "tll_"
        /// Tokens of things.
        case thing = "tlt_"
        /// Tokens for nobody, of programs with the app's key.
        case anonymous = "tla_"
    }

    package static let mark = "***"
    /// What the tokens of users begin with.
    package static let tokenPrefix = Prefix.token.rawValue

    /// Finds tokens and the secrets of links, by their first characters, also when their end is cut off.
    package static let tokens = SecretMask(findsSessions: false, passwords: [])
    /// Finds sessions too, by their length.
    package static let forms = SecretMask(findsSessions: true, passwords: [])

    private struct Password: Sendable, Hashable {
        let bytes: [UInt8]
        /// Whether it is found only between other characters than letters and digits, as it could be a usual word.
        let isWord: Bool
    }

    private static let shortest = 4
    /// What a text ends with that was clipped.
    private static let ellipsis = Array("…".utf8)
    /// Base64url of 32 bytes, a user's session, and of 73 bytes, a session of the listener's password.
    private static let sessionLengths = [43, 98]
    private static let shortestSession = 43

    private let findsSessions: Bool
    private let passwords: [Password]

    private init(findsSessions: Bool, passwords: [Password]) {
        (self.findsSessions, self.passwords) = (findsSessions, passwords)
    }

    /// Finds everything that ``forms`` finds, and passwords.
    ///
    /// - Parameters:
    ///   - passwords: Those shorter than four bytes are not looked for.
    ///   - publicWords: No secrets, although they may be passwords too: a topic, a user's name.
    package init(passwords: [String], publicWords: Set<String> = []) {
        let usable = passwords.filter { $0.utf8.count >= Self.shortest && !publicWords.contains($0) }
        // As they are, and as JSON and messages write them.
        let forms = usable.flatMap { password in
            [password]
                + [JSONValue.string(password).text, JSONValue.string(password).visibleText].map {
                    String($0.dropFirst().dropLast())
                }
        }
        self.init(
            findsSessions: true,
            passwords: Set(forms).sorted().map { form in
                let isSimple = form.utf8.count < 8 || form.utf8.allSatisfy { (0x61...0x7A).contains($0) }
                return Password(bytes: Array(form.utf8), isWord: isSimple)
            }
        )
    }

    package func masked(_ text: String) -> String {
        var text = text
        let found = text.withUTF8 { secrets(in: $0) }
        guard !found.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var start = 0
        for secret in found.sorted(by: { $0.lowerBound < $1.lowerBound }) where secret.upperBound > start {
            if secret.lowerBound >= start { result += bytes[start..<secret.lowerBound] + Self.mark.utf8 }
            start = secret.upperBound
        }
        return String(decoding: result + bytes[start...], as: UTF8.self)
    }

    /// Masks every text and every key in it.
    package func masked(_ value: JSONValue) -> JSONValue {
        guard finds(in: value) else { return value }
        return switch value {
        case .null, .bool, .number, .numeral: value
        case .string(let text): .string(masked(text))
        case .array(let elements): .array(elements.map { masked($0) })
        case .object(let members):
            .object(JSONObject(members.map { (masked($0.key), masked($0.value)) }) { first, _ in first })
        }
    }

    /// Whether there is something to mask.
    package func finds(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { hasSecret($0) }
    }

    /// Whether there is something to mask in JSON or another text.
    package func finds(in text: UnsafeRawBufferPointer) -> Bool {
        text.withMemoryRebound(to: UInt8.self) { hasSecret($0) }
    }

    /// Whether there is something to mask in a text or a key.
    package func finds(in value: JSONValue) -> Bool {
        switch value {
        case .null, .bool, .number, .numeral: false
        case .string(let text): finds(in: text)
        case .array(let elements): elements.contains { finds(in: $0) }
        case .object(let members): members.contains { finds(in: $0.key) || finds(in: $0.value) }
        }
    }

    // MARK: Finding them

    private func secrets(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var found = Self.tokens(in: bytes)
        if findsSessions, bytes.count >= Self.shortestSession { found += Self.sessions(in: bytes) }
        for password in passwords { found += Self.occurrences(of: password, in: bytes) }
        return found
    }

    private func hasSecret(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if Self.token(in: bytes, from: 0) != nil { return true }
        return (findsSessions || !passwords.isEmpty) && !secrets(in: bytes).isEmpty
    }

    private static func tokens(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        while let token = token(in: bytes, from: found.last?.upperBound ?? 0) { found.append(token) }
        return found
    }

    /// The first token that begins at this index or later.
    ///
    /// Every command and answer gets it, so the system looks for `_`, and what is before that is compared in place:
    /// 65,000 of them must cost no more than another text.
    private static func token(in bytes: UnsafeBufferPointer<UInt8>, from first: Int) -> Range<Int>? {
        guard let base = bytes.baseAddress else { return nil }
        var start = first
        while start < bytes.count, let place = memchr(base + start, 0x5F, bytes.count - start) {
            let mark = UnsafeRawPointer(base).distance(to: place)
            start = mark + 1
            guard mark >= first + 3, isPrefix(bytes[mark - 3], bytes[mark - 2], bytes[mark - 1]) else {
                continue
            }
            var end = start
            while end < bytes.count, isWord(bytes[end]) { end += 1 }
            return mark - 3..<end
        }
        return nil
    }

    /// The third byte of each ``Prefix``; the others are always the same.
    private static let kinds = Prefix.allCases.map { prefix in
        let bytes = Array(prefix.rawValue.utf8)
        precondition(bytes.count == 4 && bytes.starts(with: "tl".utf8) && bytes[3] == 0x5F, "not tl?_")
        return bytes[2]
    }

    /// Whether these are the first three bytes of a ``Prefix``.
    private static func isPrefix(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        // The list is asked last: texts are full of `_`, and few have `tl` before it.
        first == UInt8(ascii: "t") && second == UInt8(ascii: "l") && kinds.contains(third)
    }

    private static func sessions(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex { !isWord($0) } ?? bytes.count
            if isSession(bytes[start..<end]) { found.append(start..<end) }
            start = end + 1
        }
        return found
    }

    /// Random bytes have characters of all kinds.
    private static func isSession(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        sessionLengths.contains(word.count) && word.contains { (0x30...0x39).contains($0) }
            && word.contains { (0x41...0x5A).contains($0) } && word.contains { (0x61...0x7A).contains($0) }
    }

    private static func occurrences(
        of password: Password,
        in bytes: UnsafeBufferPointer<UInt8>
    ) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for start in bytes.indices where bytes[start] == password.bytes.first {
            if password.isWord, start > 0, isWord(bytes[start - 1]) { continue }
            let end = start + zip(bytes[start...], password.bytes).prefix { $0 == $1 }.count
            let isWhole = end - start == password.bytes.count
            let isClipped = end - start >= shortest && bytes[end...].starts(with: ellipsis)
            guard isWhole || isClipped else { continue }
            if password.isWord, isWhole, end < bytes.count, isWord(bytes[end]) { continue }
            found.append(start..<end)
        }
        return found
    }

    /// Whether it is a character of base64url.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
