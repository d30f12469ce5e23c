import Administration
import Controller
import Daemon
import Flare
import JSON
import People
import Threading

/// A node with one environment, and a Flare server that answers within the call.
final class TestPlace: Sendable {
    /// What the server has.
    struct Server: Sendable {
        var zones: [FlareZone] = []
        var things: [FlareThing] = []
        /// Where the device is, and what is near it.
        var zone, nearest: FlareID?
        /// Where further devices are.
        var zoneOfOthers: FlareID?
        /// Whether it does not say what is in the place.
        var isUnread = false
        /// Whether it makes things without a reply.
        var isSilent = false
        /// Whether it replies to no set and no action.
        var isBusy = false
        var next: UInt32 = 100
    }

    static let home = FlareID(high: 1, low: 1)
    static let kitchen = FlareID(high: 2, low: 1)
    /// Not in the place.
    static let garden = FlareID(high: 2, low: 2)
    static let now = Instant(wallMilliseconds: 1_900_000_000_000, steadyMilliseconds: 1_000)

    let loop: LoopExecutor
    let node: NodeRuntime
    let server: Locked<Server>
    let commands: PlaceCommands
    /// The sets and actions that the server was asked for.
    let asked = Locked<[FlareRequest]>([])
    /// What things at the edge were sent.
    let orders = Locked<[EdgeOrder]>([])
    /// The answers to others than the service.
    let answers = Locked<[Answer]>([])
    /// Stores records, and logs commands.
    let keeper = Locked<Keeper>(Keeper())

    struct Keeper: Sendable {
        var remember: @Sendable (ControllerEffect.PersistedRecord) -> Void = { _ in }
        var log: @Sendable (CommandRecord) -> Void = { _ in }
    }

    init(_ server: Server = .withKitchen) throws {
        let loop = try LoopExecutor()
        var configuration = ControllerConfiguration()
        configuration.lifecycle = Lifecycle.Settings()
        let controller = DeviceController(epoch: "e", configuration: configuration, memory: PersistedState())
        let node = NodeRuntime(
            on: loop,
            controller: controller,
            clock: { TestPlace.now },
            // No timer fires in these tests.
            sleep: { _ in try await Task.sleep(for: .seconds(3600)) },
            program: ProgramInfo(started: Self.now)
        )
        // A command that is not answered is given up at once.
        let silent = Locked(server)
        let commands = PlaceCommands(
            sleep: { duration in
                guard silent.withLock({ $0.isSilent }) else { return try await Task.sleep(for: duration) }
            },
            send: node.send
        )
        (self.loop, self.node, self.server, self.commands) = (loop, node, silent, commands)
        let ports = NodeRuntime.Ports(
            flare: { [server = self.server, asked] request in
                switch request {
                case .setData, .performAction: asked.withLock { $0.append(request) }
                default: break
                }
                let reply = server.withLock { $0.reply(to: request) }
                if let reply { node.receive(.replied(request, .success(reply))) }
            },
            edge: { [orders] order in orders.withLock { $0.append(order) } },
            remember: { [keeper] record in keeper.withLock { $0.remember }(record) },
            publish: { [answers] _, output in
                for answer in output.answers {
                    guard answer.actor == PlaceCommands.actor else {
                        answers.withLock { $0.append(answer) }
                        continue
                    }
                    commands.receive(answer)
                }
            },
            log: { [keeper] record in if record.isKept { keeper.withLock { $0.log }(record) } }
        )
        loop.perform { node.assumeIsolated { $0.connect(ports, policies: [PeoplePolicy()]) } }
    }

    /// Reads the place from the server.
    func open() async {
        node.send(.flare(.linkUp))
        await settle()
    }

    /// Waits until everything before was handled.
    func settle() async { await withCheckedContinuation { done in loop.perform { done.resume() } } }

    /// Changes what the server has, which tells the node.
    func change(_ change: @Sendable (inout Server) -> Void) async {
        server.withLock { change(&$0) }
        node.send(
            .flare(.notice(.modelChanged(ObjectReference(.zone, Self.kitchen), environment: Self.home)))
        )
        await settle()
    }

    var things: [FlareThing] { server.withLock { $0.things } }

    var accountsPlace: AccountsPlace {
        let node = node
        return AccountsPlace(
            find: { _, _ in [] },
            locate: { object in
                await node.state.things[object.id].map {
                    .thing($0.id, zone: $0.zone, environment: TestPlace.home)
                }
            },
            slugs: { objects in
                let slugs = await node.state.slugs
                return objects.reduce(into: [:]) { $0[$1] = slugs[$1.kind, $1.id] }
            }
        )
    }

    var bindingPlace: BindingPlace {
        let node = node
        return BindingPlace(
            on: loop,
            accountsPlace,
            commands,
            clock: { TestPlace.now },
            state: { node.assumeIsolated { $0.state } }
        )
    }

    /// A thing of the kitchen.
    static func thing(_ number: UInt32, _ name: String, _ data: JSONObject = [:]) -> FlareThing {
        var thing = FlareThing(id: FlareID(high: 3, low: number))
        (thing.name, thing.data) = (name, data)
        (thing.zone, thing.environment) = (kitchen, home)
        return thing
    }
}

extension TestPlace.Server {
    static var withKitchen: TestPlace.Server {
        var kitchen = FlareZone(id: TestPlace.kitchen)
        (kitchen.name, kitchen.environment) = ("Kitchen", TestPlace.home)
        var server = TestPlace.Server()
        server.zones = [kitchen]
        return server
    }

    /// The node's own.
    private static let device = FlareID(high: 4, low: 1)

    /// `nil` for none.
    mutating func reply(to request: FlareRequest) -> FlareReply? {
        switch request {
        case .loadEnvironments:
            var home = FlareEnvironment(id: TestPlace.home)
            home.name = "Home"
            return .environments([home])
        case .loadPlace: return isUnread ? nil : .place(zones: zones, things: things)
        case .loadDevice: return .device(nil)
        case .createDevice(let draft, _):
            var device = FlareDevice(id: Self.device)
            if draft.data["node"] != nil {
                device = FlareDevice(id: FlareID(high: 4, low: next))
                next += 1
            }
            (device.name, device.environment) = (draft.name, TestPlace.home)
            return .device(device)
        case .loadPresence(Self.device, _, _): return .presence(zone: zone, nearest: nearest)
        case .loadPresence: return .presence(zone: zoneOfOthers, nearest: nil)
        case .create(_, let edit, let zone, _):
            var thing = TestPlace.thing(next, edit.name ?? "", edit.data)
            thing.zone = zone
            next += 1
            things.append(thing)
            return isSilent ? nil : .created(thing.id)
        case .change(let object, let edit):
            guard let index = things.firstIndex(where: { $0.id == object.id }) else { return .done }
            things[index].data.merge(edit.data) { $1 }
            return .done
        case .remove(let object, _):
            things.removeAll { $0.id == object.id }
            return .done
        case .setData, .performAction: return isBusy ? nil : .done
        case .subscribe, .unsubscribe, .setPosition, .renameDevice: return .done
        }
    }
}
