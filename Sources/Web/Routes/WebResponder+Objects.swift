import Flare
import HTTPTypes
import Hummingbird
import Messages
import Text
import Things

/// Environments, zones and things.
extension WebResponder {
    /// All of a class.
    func objects(_ kind: FlareClass, _ request: Request, by asker: Asker) async -> WebAnswer {
        let environment = Self.query(of: request.head.path ?? "")["environment"]
        switch await hub.list(kind, in: environment, for: asker) {
        case .success(let text): return .list(text)
        case .failure(let refusal): return WebAnswer(refusal)
        }
    }
}
