package import Bindings
import HTTPTypes
package import JSON
package import People
import Text
import Things

/// Gives commands to things, lists them, and takes their results: what ``WebRoute/thingIF(commands:)`` needs.
package protocol ThingIFCommands: ThingIFCallers {
    /// Gives a command.
    ///
    /// - Returns: Its identifier, once it is stored.
    func give(
        _ request: CommandRequest,
        to target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<String, BindingsError>

    /// The body of a list of commands, the newest first.
    ///
    /// - Parameters:
    ///   - limit: How many at most, 1 to 200.
    ///   - key: The `nextPaginationKey` of the list before; `nil` for the newest.
    func commands(
        of target: TargetName,
        limit: Int,
        after key: String?,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError>

    func command(
        _ id: String,
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError>

    /// Takes the results of a command.
    ///
    /// - Parameter results: The whole body, for ``ActionResult/results(_:of:others:)``.
    func answer(
        _ id: String,
        of target: TargetName,
        with results: JSONValue,
        by caller: BindingCaller
    ) async -> Result<Void, BindingsError>
}

/// Commands and their results.
///
/// - Source: contrib/contract/bindings.md, "Routes".
extension WebRoute {
    private static let commands = "/thing-if/apps/{app}/targets/{target}/commands"

    /// The routes of commands.
    package static func thingIF(commands service: any ThingIFCommands) -> [WebRoute] {
        [
            thingIF(commands, [.post], in: .thingIF, about: .command) { call in
                let (caller, bytes) = try await call.callerAndBytes(service)
                let target = try call.target()
                try call.checkJSON()
                let request = try CommandRequest(try ThingIFCall.json(bytes))
                let id = try await service.give(request, to: target, by: caller, from: call.address).get()
                return .object(["commandID": .string(id)], status: .created)
            },
            thingIF(commands, [.get], in: .thingIF, about: .target) { call in
                let caller = try await call.caller(service)
                let target = try call.target()
                let page = try call.page()
                return .object(
                    try await service.commands(of: target, limit: page.limit, after: page.key, for: caller)
                        .get()
                )
            },
            thingIF("\(commands)/{id}", [.get], in: .thingIF, about: .commandID) { call in
                let caller = try await call.caller(service)
                return .object(
                    try await service.command(call.command, of: try call.target(), for: caller).get()
                )
            },
            thingIF("\(commands)/{id}/action-results", [.put], in: .thingIF, about: .commandID) { call in
                let (caller, bytes) = try await call.callerAndBytes(service)
                let target = try call.target()
                try call.checkJSON()
                let results = try ThingIFCall.json(bytes)
                try await service.answer(call.command, of: target, with: results, by: caller).get()
                return .nothing
            },
        ]
    }
}

extension ThingIFCall {
    /// The thing that the path names.
    func target() throws(ThingIFError) -> TargetName {
        let text = values.first ?? ""
        guard let target = TargetName(text) else {
            let legal = "thing: and a thingID, or VENDOR_THING_ID: and a vendorThingID"
            throw ThingIFError(
                Refusal(
                    .invalidValue,
                    "the target must be \(legal), is \(QuotedValue.of(text))",
                    field: "target"
                ),
                about: .target
            )
        }
        return target
    }

    /// The identifier of the command that the path names.
    fileprivate var command: String { values.dropFirst().first ?? "" }

    /// The most entries of a list of commands or triggers.
    private static let mostCommands = 200

    /// The part of a list that the query asks for; no limit, 0 and a higher one are the highest.
    func page() throws(Refusal) -> (limit: Int, key: String?) {
        let query = WebResponder.query(of: call.head.path ?? "")
        let key = query["paginationKey"].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = query["bestEffortLimit"] else { return (Self.mostCommands, key) }
        guard let limit = Int(text), limit >= 0 else {
            throw Refusal(
                .invalidValue,
                "bestEffortLimit must be a whole number from 0, is \(QuotedValue.of(text))",
                field: "bestEffortLimit"
            )
        }
        return (limit == 0 ? Self.mostCommands : min(limit, Self.mostCommands), key)
    }
}
