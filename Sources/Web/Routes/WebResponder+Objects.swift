import Flare
import HTTPTypes
import Hummingbird
import Messages
import Text
import Things

/// Environments, zones and things: read, made, changed and removed.
extension WebResponder {
    /// All of a class, or a new one.
    func objects(_ kind: FlareClass, _ request: Request, by asker: Asker) async throws -> WebAnswer {
        if request.method == .post { return try await change(.add(kind), request, by: asker) }
        let environment = Self.query(of: request.head.path ?? "")["environment"]
        switch await hub.list(kind, in: environment, for: asker) {
        case .success(let text): return .list(text)
        case .failure(let refusal): return WebAnswer(refusal)
        }
    }

    /// One object, by short name or identifier.
    func object(
        _ kind: FlareClass,
        _ name: String,
        _ request: Request,
        by asker: Asker
    ) async throws -> WebAnswer {
        switch request.method {
        case .patch: return try await change(.edit(kind, name), request, by: asker)
        case .delete:
            let contents = Self.query(of: request.head.path ?? "")["contents"]
            guard contents == nil || contents == "true" || contents == "false" else {
                let message = "contents must be true or false (is \(QuotedValue.of(contents ?? "")))"
                return WebAnswer(Refusal(.invalidValue, message, field: "contents"))
            }
            let change = ObjectChange.remove(kind, name, withContents: contents == "true")
            return try await self.change(change, request, by: asker)
        default: return WebAnswer(await hub.object(kind, name, for: asker))
        }
    }

    private func change(
        _ change: ObjectChange,
        _ request: Request,
        by asker: Asker
    ) async throws -> WebAnswer {
        let body = try await content(of: request, by: asker)
        // Removing needs no body.
        if !body.isEmpty || request.method != .delete,
            let refusal = Self.unsupportedMedia(request.headers)
        {
            return refusal
        }
        return WebAnswer(await hub.perform(change, body, by: asker))
    }
}
