import Messages
import Web

extension [WebRoute] {
    /// Those that the lifecycle provides, as the program has them.
    static let tested = [WebRoute.reading("/api/lifecycle") { $0.lifecycleJSON }]
}
