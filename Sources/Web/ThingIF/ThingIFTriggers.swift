package import Bindings
import HTTPTypes
package import JSON
package import People
import Things

/// Keeps the triggers of things: what ``WebRoute/thingIF(triggers:)`` needs.
///
/// Triggers are the rules that this form can say.
package protocol ThingIFTriggers: ThingIFCallers {
    /// Makes a trigger.
    ///
    /// - Parameter trigger: The whole body.
    /// - Returns: Its identifier.
    func addTrigger(
        _ trigger: JSONObject,
        of target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<String, BindingsError>

    /// The body of a list of triggers, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: How many at most, 1 to 200.
    ///   - key: The `nextPaginationKey` of the list before; `nil` for the oldest.
    func triggers(
        of target: TargetName,
        limit: Int,
        after key: String?,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError>

    func trigger(
        _ id: String,
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError>

    /// Replaces some members of a trigger.
    ///
    /// - Parameter members: The whole body, which is not empty.
    func changeTrigger(
        _ id: String,
        of target: TargetName,
        with members: JSONObject,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Void, BindingsError>

    /// Switches a trigger on or off; one that is so already stays so.
    func turnTrigger(
        _ id: String,
        of target: TargetName,
        isOn: Bool,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Void, BindingsError>

    func removeTrigger(
        _ id: String,
        of target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Void, BindingsError>
}

/// Triggers of things.
///
/// - Source: contrib/contract/rules.md, "Thing-IF".
extension WebRoute {
    private static let triggers = "/thing-if/apps/{app}/targets/{target}/triggers"

    /// The routes of triggers.
    package static func thingIF(triggers service: any ThingIFTriggers) -> [WebRoute] {
        let trigger = "\(triggers)/{id}"
        return [
            thingIF(triggers, [.post], in: .thingIF, about: .target) { call in
                let (caller, body, target) = try await call.changed(service)
                let id = try await service.addTrigger(body, of: target, by: caller, from: call.address).get()
                return .object(["triggerID": .string(id)], status: .created)
            },
            thingIF(triggers, [.get], in: .thingIF, about: .target) { call in
                let caller = try await call.caller(service)
                let target = try call.target()
                let page = try call.page()
                return .object(
                    try await service.triggers(of: target, limit: page.limit, after: page.key, for: caller)
                        .get()
                )
            },
            thingIF(trigger, [.get], in: .thingIF, about: .target) { call in
                let caller = try await call.caller(service)
                return .object(
                    try await service.trigger(call.trigger, of: try call.target(), for: caller).get()
                )
            },
            thingIF(trigger, [.patch], in: .thingIF, about: .target) { call in
                let (caller, body, target) = try await call.changed(service)
                guard !body.isEmpty else {
                    throw Refusal(.invalidValue, "the body must have a member of the trigger to change")
                }
                try await service.changeTrigger(
                    call.trigger,
                    of: target,
                    with: body,
                    by: caller,
                    from: call.address
                ).get()
                return .nothing
            },
            thingIF(trigger, [.delete], in: .thingIF, about: .target) { call in
                let caller = try await call.caller(service)
                try await service.removeTrigger(
                    call.trigger,
                    of: try call.target(),
                    by: caller,
                    from: call.address
                ).get()
                return .nothing
            },
            switching("\(trigger)/enable", isOn: true, service),
            switching("\(trigger)/disable", isOn: false, service),
        ]
    }

    private static func switching(
        _ template: String,
        isOn: Bool,
        _ service: any ThingIFTriggers
    ) -> WebRoute {
        thingIF(template, [.put], in: .thingIF, about: .target) { call in
            // Clients may send a body, which means nothing.
            let (caller, _) = try await call.callerAndBytes(service)
            try await service.turnTrigger(
                call.trigger,
                of: try call.target(),
                isOn: isOn,
                by: caller,
                from: call.address
            ).get()
            return .nothing
        }
    }
}

extension ThingIFCall {
    /// The identifier of the trigger that the path names.
    fileprivate var trigger: String { values.dropFirst().first ?? "" }

    /// Who asks, the body, and the thing that the path names.
    fileprivate func changed(
        _ service: any ThingIFTriggers
    ) async throws -> (BindingCaller, JSONObject, TargetName) {
        let (caller, bytes) = try await callerAndBytes(service)
        let target = try target()
        try checkJSON()
        guard let body = try Self.json(bytes).object else {
            throw Refusal(.wrongType, "the body must be an object")
        }
        return (caller, body, target)
    }
}
