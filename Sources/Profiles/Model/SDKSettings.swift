/// How the application reaches its cloud; what is `nil` was not said.
/// - Source: contrib/contract/profiles.md, "sdkConfig".
package struct SDKSettings: Sendable, Hashable {
    /// The levels of its two logs.
    package enum LogLevel: String, Sendable, Hashable, CaseIterable {
        case verbose = "Verbose"
        case debug = "Debug"
        case info = "Info"
        case warning = "Warning"
        case error = "Error"
        case none = "None"
    }

    package static let serviceTypes = ["Dynamic", "Field", "Development", "Staging", "Demo"]
    package static let serviceLocations = ["USA", "China", "Europe"]

    /// `allowMobileDSS`: changes are streamed.
    package var isStreamed: Bool?
    /// `allowOfflineUse`: the last place is kept for a start without the server.
    package var isMirrored: Bool?
    package var serviceType: String?
    package var serviceLocation: String?
    package var consoleLogLevel: LogLevel?
    package var fileLogLevel: LogLevel?
    package var timeoutMilliseconds: Int?
    /// The file that says so; empty for none.
    package var file = ""
    /// Where the values stand in it, by key.
    package var positions: [String: SourcePosition] = [:]

    /// Whether a key is that of the secret, `appSecret`, however it is spelt: a misspelt one is as secret.
    static func isSecret(_ key: String) -> Bool {
        key.lowercased().filter { $0 != "_" && $0 != "-" } == "appsecret"
    }
}
