package import Bindings
import HTTPTypes
package import JSON
package import People

/// Takes the states of things and shows them: what ``WebRoute/thingIF(states:)`` needs.
package protocol ThingIFStates: ThingIFCallers {
    /// Takes a state.
    ///
    /// - Returns: Whether it was the thing's first one.
    func report(
        _ upload: StateUpload,
        to target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Bool, BindingsError>

    /// The state as it was reported last; empty before the first report.
    func state(of target: TargetName, for caller: BindingCaller) async -> Result<JSONObject, BindingsError>

    /// The answer to a query of the history.
    func history(
        _ query: HistoryQuery,
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError>
}

/// States and history.
///
/// - Source: contrib/contract/bindings.md, "Routes".
extension WebRoute {
    private static let states = "/thing-if/apps/{app}/targets/{target}/states"

    /// The routes of states and history.
    package static func thingIF(states service: any ThingIFStates) -> [WebRoute] {
        [
            thingIF(states, [.put], in: .thingIF, about: .target) { call in
                let (caller, bytes) = try await call.callerAndBytes(service)
                let target = try call.target()
                try call.checkJSON()
                let upload = try StateUpload(state: bytes, at: call.now)
                let isFirst = try await service.report(upload, to: target, by: caller, from: call.address)
                    .get()
                return isFirst ? .object([:], status: .created) : .nothing
            },
            thingIF(states, [.get], in: .thingIF, about: .target) { call in
                let caller = try await call.caller(service)
                return .object(try await service.state(of: try call.target(), for: caller).get())
            },
            thingIF("\(states)/query", [.post], in: .thingIF, about: .target) { call in
                let (caller, bytes) = try await call.callerAndBytes(service)
                let target = try call.target()
                try call.checkJSON()
                let query = try HistoryQuery(try ThingIFCall.json(bytes))
                return .object(try await service.history(query, of: target, for: caller).get())
            },
        ]
    }
}
