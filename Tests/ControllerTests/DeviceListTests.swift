import Controller
import Flare
import JSON
import Testing
import Things

/// The list of devices beside the daemon's own is changed while the daemon runs.
@Suite struct DeviceListTests {
    private static let anna = ListedNode(node: "anna", name: "Anna", kind: "phone", user: "anna")
    private static let bert = ListedNode(node: "bert", name: "Bert", kind: "phone")

    /// A controller from its start, with everything read and no request pending.
    private func rig(
        presence: ControllerConfiguration.Presence = .server,
        server: HouseServer = HouseServer(),
        _ change: (inout PersistedState) -> Void = { _ in }
    ) -> Rig {
        var memory = PersistedState()
        memory.environment = House.home
        memory.devices = [House.home: House.homeDevice, House.office: House.officeDevice]
        change(&memory)
        var configuration = ControllerConfiguration()
        (configuration.node, configuration.nodes) = ("hall", [Self.anna, Self.bert])
        var rig = Rig(memory: memory, configuration: configuration, presence: presence, server: server)
        rig.happens(.flare(.linkUp))
        rig.serve()
        return rig
    }

    private func list(
        _ nodes: [ListedNode],
        leavingPlace leaving: Set<String> = [],
        removed: Set<String> = []
    ) -> ControllerEvent {
        .nodesListed(nodes, leavingPlace: leaving, removed: removed)
    }

    @Test func `a device that comes back to the list is the same device`() throws {
        var rig = rig()
        let bert = try #require(rig.state.nodes["bert"]?.device?.id)
        rig.happens(list([Self.anna]))
        rig.happens(list([Self.anna, Self.bert]))
        rig.serve()
        #expect(rig.state.nodes["bert"]?.device?.id == bert)
        #expect(rig.server.devices.count == 4)
    }

    private static func bringBertToLivingRoom(_ rig: inout Rig) {
        for _ in 0..<5 {
            rig.happens(.node("bert", House.estimate(6, 2)), after: 1100)
            rig.serve()
        }
        #expect(rig.state.nodes["bert"]?.zoneID == House.living)
    }

    /// Bert was in the living room, somebody has removed him, and there is another device of his node.
    private func successor(_ entry: ListedNode = Self.bert, isThereAlready: Bool = false) -> Rig {
        var rig = rig(presence: .steady(.init()))
        Self.bringBertToLivingRoom(&rig)
        if !isThereAlready { rig.happens(list([Self.anna], removed: ["bert"])) }
        rig.happens(list([Self.anna, entry], removed: isThereAlready ? ["bert"] : []))
        rig.serve()
        return rig
    }

    @Test(arguments: [false, true])
    func `the next device of a node that was removed has its object, and no position until one is known`(
        isThereAlready: Bool
    ) {
        var rig = successor(isThereAlready: isThereAlready)
        #expect(rig.server.devices.count == 4, "nothing is made")
        for _ in 0..<2 {
            let bert = rig.state.nodes["bert"]
            #expect(bert?.device != nil && bert?.device?.position == nil && bert?.zoneID == nil)
            #expect(bert?.fix == nil && bert?.seenAt == nil)
            // Nor after a link that was lost.
            rig.happens(.flare(.linkDown(reason: "off")))
            rig.happens(.flare(.linkUp))
            rig.serve()
        }
        Self.bringBertToLivingRoom(&rig)
        rig.happens(.flare(.linkDown(reason: "off")))
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.nodes["bert"]?.device?.position != nil, "this one is its own")
    }

    @Test(arguments: [false, true])
    func `what was switched off is on for the next device of a node that was removed, alone`(isRemoved: Bool)
    {
        var rig = rig { $0.nodes["bert", default: .init()].sensors[.beacons] = false }
        #expect(rig.state.nodes["bert"]?.sensors[.beacons] == false)
        rig.happens(list([Self.anna]))
        let effects = rig.happens(list([Self.anna, Self.bert], removed: isRemoved ? ["bert"] : []))
        #expect(rig.state.nodes["bert"]?.sensors[.beacons] == isRemoved)
        // Also in later runs.
        #expect(effects.contains(.remember(.node("bert", .sensor(.beacons, on: true)))) == isRemoved)
    }

    @Test func `the next device of a node that was removed is where somebody puts it`() throws {
        var rig = successor()
        let bert = try #require(rig.state.nodes["bert"]?.device?.id)
        let point = Point3D(x: 6, y: 2.5)
        for index in rig.server.devices.indices where rig.server.devices[index].id == bert {
            rig.server.devices[index].position = point
        }
        rig.happens(.flare(.notice(.position(ObjectReference(.device, bert), point, sender: nil))))
        rig.serve()
        #expect(rig.state.nodes["bert"]?.device?.position == point)
        rig.happens(.flare(.linkDown(reason: "off")))
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.nodes["bert"]?.device?.position == point)
    }

    @Test func `a device that was removed leaves a mark for later runs, and one of the file none`() {
        var rig = rig(presence: .steady(.init()))
        func marks(_ effects: [ControllerEffect]) -> [ControllerEffect] {
            effects.filter { effect in
                if case .remember(.node("bert", .position(.ofAnother, _))) = effect { true } else { false }
            }
        }
        #expect(marks(rig.happens(list([Self.anna]))).isEmpty)
        #expect(marks(rig.happens(list([Self.anna], removed: ["bert"]))).count == 1)
    }

    @Test(arguments: [false, true])
    func `a later run knows that a position is that of a device that was removed`(isMarked: Bool) {
        var server = HouseServer()
        let point = Point3D(x: 6, y: 2.5)
        for index in server.devices.indices { server.devices[index].position = point }
        let rig = rig(presence: .steady(.init()), server: server) { memory in
            memory.nodes["bert"] = .init(devices: [House.home: House.homeDevice])
            if isMarked { memory.nodes["bert"]?.positions[House.home] = .ofAnother }
            memory.devices[House.home] = nil
        }
        let bert = rig.state.nodes["bert"]
        #expect(bert?.device?.id == House.homeDevice && bert?.device?.position == (isMarked ? nil : point))
        #expect(bert?.zoneID == (isMarked ? nil : House.living))
    }

    @Test func `the next device of a node that was removed has a name of its own in the place`() {
        let rig = successor(ListedNode(node: "bert", name: "Tom", kind: "pet"))
        #expect(rig.state.nodes["bert"]?.device?.name == "Tom")
    }

    @Test func `a device that is added while the daemon runs is made in the place, and nobody else notices`()
    {
        var rig = rig()
        let before = rig.state
        let cleo = ListedNode(node: "cleo", name: "Cleo")
        let effects = rig.happens(list([Self.anna, Self.bert, cleo])) + rig.serve()
        #expect(rig.state.nodes["cleo"]?.device?.name == "Cleo")
        #expect(rig.state.nodes["anna"] == before.nodes["anna"] && rig.state.device == before.device)
        let events = effects.filter { if case .emit = $0 { true } else { false } }
        #expect(events.isEmpty, "this is no other configuration: \(events)")
    }

    @Test func `another name in the list is the device's in the place, too`() throws {
        var rig = rig()
        let anna = try #require(rig.state.nodes["anna"]?.device?.id)
        let renamed = ListedNode(node: "anna", name: "Anna's watch", kind: "watch", user: "anna")
        let effects = rig.happens(list([renamed, Self.bert]))
        #expect(
            effects.requests == [.renameDevice(anna, environment: House.home, name: "Anna's watch")]
        )
        rig.serve()
        #expect(rig.state.nodes["anna"]?.device?.name == "Anna's watch")
        #expect(rig.happens(list([renamed, Self.bert])).requests.isEmpty)
    }

    @Test func `the zone of a device that is given another name shows it under that name`() {
        var rig = rig()
        rig.happens(.node("anna", House.estimate(6, 2)), after: 1100)
        rig.serve()
        #expect(rig.state.nodes["anna"]?.zoneID == House.living)
        rig.happens(list([ListedNode(node: "anna", name: "Anna's watch"), Self.bert]))
        _ = rig.controller.removeChanges()
        rig.serve()
        #expect(rig.state.nodes["anna"]?.device?.name == "Anna's watch")
        #expect(rig.controller.removeChanges().contains(.occupancy(House.living)))
    }

    @Test func `the list survives the next event, and an empty one ends all nodes`() {
        var rig = rig()
        rig.happens(list([Self.anna]))
        #expect(rig.state.nodes.keys.sorted() == ["anna"])
        rig.happens(list([]))
        #expect(rig.state.nodes.isEmpty)
        rig.happens(.node("anna", House.estimate(1, 1)))
        #expect(rig.asked.isEmpty)
    }

    @Test func `a removed device stays in the place, unless it is to leave it`() throws {
        var rig = rig()
        let (anna, bert) = try (
            #require(rig.state.nodes["anna"]?.device?.id), #require(rig.state.nodes["bert"]?.device?.id)
        )
        #expect(rig.happens(list([Self.bert])).requests.isEmpty)
        let effects = rig.happens(list([], leavingPlace: ["bert"]))
        #expect(effects.requests == [.remove(ObjectReference(.device, bert), withContents: false)])
        rig.serve()
        let left = rig.server.devices.map(\.id)
        #expect(left.contains(anna) && !left.contains(bert) && left.contains(House.homeDevice))
    }

    @Test func `a device leaves all environments in which this daemon has made it`() {
        let old = House.id(311)
        var rig = rig { $0.nodes["bert"] = .init(devices: [House.office: old]) }
        let effects = rig.happens(list([Self.anna], leavingPlace: ["bert"]))
        let removed = effects.requests.compactMap { request -> FlareID? in
            if case .remove(let object, _) = request { object.id } else { nil }
        }
        #expect(removed.count == 2 && removed.contains(old))
    }

    @Test func `a device that was taken off the list before can still leave the place`() throws {
        var rig = rig()
        let bert = try #require(rig.state.nodes["bert"]?.device?.id)
        rig.happens(list([Self.anna]))
        let effects = rig.happens(list([Self.anna], leavingPlace: ["bert"]))
        #expect(effects.requests == [.remove(ObjectReference(.device, bert), withContents: false)])
    }

    @Test func `a device that is listed again does not leave the place`() {
        var rig = rig()
        let effects = rig.happens(list([Self.anna, Self.bert], leavingPlace: ["bert"]))
        #expect(effects.requests.isEmpty)
    }

    @Test func `a server that does not remove a device raises an alert, and one that knows none does not`() {
        var rig = rig()
        rig.happens(list([Self.anna], leavingPlace: ["bert"]))
        rig.serveOne(.failure(.rejected("no")))
        #expect(rig.state.alerts["device-removal"]?.message.contains("no") == true)
        rig.happens(list([], leavingPlace: ["anna"]))
        guard case .remove(let object, _)? = rig.asked.first else {
            Issue.record("nothing was asked")
            return
        }
        rig.serveOne(.failure(.unknownObject(object)))
        #expect(rig.state.alerts["device-removal"] == nil)
        #expect(rig.asked.isEmpty, "the place is not read again for that")
    }

    @Test func `a device that is made after its node was removed is nobody's`() {
        for isLeaving in [false, true] {
            var rig = rig()
            let cleo = ListedNode(node: "cleo", name: "Cleo")
            rig.happens(list([Self.anna, Self.bert, cleo]))
            let own = rig.state.device
            rig.happens(list([Self.anna, Self.bert], leavingPlace: isLeaving ? ["cleo"] : []))
            rig.serve()
            #expect(rig.state.device == own)
            let isThere = rig.server.devices.contains { $0.name == "Cleo" }
            #expect(isThere == !isLeaving)
            let made = rig.server.devices.first { $0.name == "Cleo" }?.id
            rig.happens(list([Self.anna, Self.bert, cleo]))
            rig.serve()
            #expect(rig.state.nodes["cleo"]?.device != nil)
            #expect(made == nil || rig.state.nodes["cleo"]?.device?.id == made)
        }
    }
}
