package import Bindings
package import Flare
import HTTPListener
import HTTPTypes
package import JSON
package import People
import Text
import Things

extension WebRoute {
    /// The history of a thing of the place, for who may read that thing.
    ///
    /// - Parameter history: Answers for a thing that the caller may see; the caller is `nil` if nobody is identified.
    /// - Source: contrib/contract/bindings.md, "History of a thing of the place".
    package static func thingHistory(
        _ history:
            @escaping @Sendable (HistoryRequest, FlareID, Caller?) async -> Result<JSONObject, BindingsError>
    ) -> WebRoute {
        get("/api/things/{thing}/history") { responder, call in
            do throws(Refusal) {
                let thing = try await responder.hub.thing(call.name, for: call.requester).get()
                let request = try HistoryRequest(parameters: parameters(of: call.head.path ?? ""))
                do throws(BindingsError) {
                    let answer = try await history(request, thing, call.requester.caller).get()
                    return .list(JSONValue.object(answer).bytes)
                } catch {
                    throw error.refusal
                }
            } catch {
                return WebAnswer(error)
            }
        }
    }

    /// The most parameters that are read.
    private static let mostParameters = 100

    private static func parameters(of target: String) -> [(name: String, value: String)] {
        RequestTarget(target).parameters.prefix(mostParameters).compactMap { parameter in
            let parts = parameter.parts(between: "=", maxSplits: 1)
            guard let name = parts.first?.percentDecoded else { return nil }
            return (name, parts.dropFirst().first?.percentDecoded ?? "")
        }
    }
}

extension WebHub {
    /// The thing of the current environment that is called so, by short name or identifier.
    fileprivate func thing(_ name: String, for requester: Requester) -> Result<FlareID, Refusal> {
        found(.thing, name, in: view(for: requester).state).map(\.id)
    }
}
