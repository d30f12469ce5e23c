import Accounts
import Bindings
import Controller
import Daemon
import Flare
import JSON
import People

/// Commands of the thing v-1, which is the lamp of the kitchen.
extension TestBindings {
    var asOwner: BindingCaller { .user(.user(owner)) }

    /// Makes the lamp a thing of its owner; at the edge if it was heard itself.
    func ownLamp(atEdge isAtEdge: Bool = false) async throws -> BindingID {
        if isAtEdge { _ = try await onboardThing().get() }
        let thing = try await onboardOwner(owner).get().thing
        if isAtEdge {
            place.node.send(.edge(TestPlace.lamp.id, .routed(EdgeRoute(commandSeconds: 60))))
        }
        await place.settle()
        return thing
    }

    func give(
        _ actions: JSONValue,
        by caller: BindingCaller? = nil,
        issuer: String? = nil
    ) async throws -> Result<String, BindingsError> {
        let request = try CommandRequest([
            "actions": actions, "issuer": .string(issuer ?? "user:owner"), "schema": "lamp",
            "schemaVersion": 1,
        ])
        let target = TargetName.vendor("v-1")
        let id = await service.give(request, to: target, by: caller ?? asOwner, from: "192.0.2.1")
        await place.settle()
        return id
    }

    /// A command as its owner sees it.
    func command(_ id: String) async throws -> JSONObject {
        try await service.command(id, of: .vendor("v-1"), for: asOwner).get()
    }

    func state(_ id: String) async throws -> String? { try await command(id)["commandState"]?.string }

    /// `nil` for success, by action.
    func failures(_ id: String) async throws -> [String?] {
        try await command(id)["actionResults"]?.array?.map { result -> String? in
            let outcome = result.object?.first?.value
            guard outcome?["succeeded"] != true else { return nil }
            return String((outcome?["errorMessage"]?.string ?? "").prefix { $0 != ":" })
        } ?? []
    }

    /// Sends a command over the broker, as the owner.
    ///
    /// - Parameter source: What the log is to have; `nil` for the topic.
    func publish(
        _ descriptor: CommandDescriptor,
        _ payload: String,
        from source: String? = nil
    ) async throws {
        let topic = descriptor.topic("v-1")
        let operation = try descriptor.read(try CommandPayload(Array(payload.utf8)), on: topic)
        let command = Command(
            ticket: 7,
            operation: operation,
            tx: 1,
            caller: .user(owner),
            source: source ?? topic.tail
        )
        place.node.send(.commandReceived(command))
        await place.settle()
    }

    /// Ends a command as its timer does.
    func passDeadline(of id: String) async {
        place.node.send(.timerFired(BindingsSlice.timer(.due(id))))
        await place.settle()
    }

    /// The rows of the log about what was done to the lamp.
    func rows() throws -> [CommandLogEntry] {
        try log().filter { ["command", "set", "action"].contains($0.kind) }
    }
}

extension TestPlace {
    static let lamp = thing(1, "v-1", ["on": true, "brightness": 0.1])
}

extension TestPlace.Server {
    static var withLamp: TestPlace.Server {
        var server = withKitchen
        server.things = [TestPlace.lamp]
        return server
    }
}
