import Messages
import Web

extension [WebReading] {
    /// Those of the lifecycle, as the program has them.
    static let tested = [WebReading("lifecycle") { $0.lifecycleJSON }]
}
