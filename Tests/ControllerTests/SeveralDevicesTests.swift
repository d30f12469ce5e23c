import CommandFixture
import Controller
import Flare
import JSON
import People
import Testing
import Things

/// A daemon with two devices beside its own: Anna's and Bert's phones, which have the same name.
@Suite struct SeveralDevicesTests {
    private static let anna = ListedNode(node: "anna", name: "Phone", kind: "phone", user: "anna")
    private static let bert = ListedNode(node: "bert", name: "Phone", kind: "phone")

    private static func configuration(_ nodes: [ListedNode]) -> ControllerConfiguration {
        var configuration = ControllerConfiguration()
        (configuration.node, configuration.nodes) = ("hall", nodes)
        configuration.allowsDeviceSet = true
        configuration.presence = .server
        configuration.slices = Slices([
            Lifecycle(configuration.lifecycle), Screens(configuration.screens),
        ])
        return configuration
    }

    /// A controller from its start, with everything read and no request pending.
    private func rig(
        _ nodes: [ListedNode] = [Self.anna, Self.bert],
        _ change: (inout PersistedState) -> Void = { _ in }
    ) -> Rig {
        var memory = PersistedState()
        memory.environment = House.home
        memory.devices = [House.home: House.homeDevice, House.office: House.officeDevice]
        change(&memory)
        var rig = Rig(memory: memory, configuration: Self.configuration(nodes))
        rig.happens(.flare(.linkUp))
        rig.serve()
        return rig
    }

    /// Moves a device, and lets the server answer.
    @discardableResult
    private func move(
        _ rig: inout Rig,
        _ node: String,
        _ x: Double,
        _ y: Double
    ) -> [ControllerEffect] {
        rig.happens(.node(node, House.estimate(x, y)), after: 1100) + rig.serve()
    }

    // MARK: Devices

    @Test func `each node has a device of its own, also when two have the same name`() throws {
        let rig = rig()
        let anna = try #require(rig.state.nodes["anna"]?.device)
        let bert = try #require(rig.state.nodes["bert"]?.device)
        #expect(Set([anna.id, bert.id, House.homeDevice]).count == 3)
        #expect([anna.name, anna.description] == ["Phone", "phone"])
        #expect([anna.data, bert.data] == [["node": "anna"], ["node": "bert"]])
        #expect(rig.state.device?.id == House.homeDevice)
        #expect(rig.server.devices.count == 4)
        #expect(rig.effects.of("anna").contains(.remember(.device(anna.id, environment: House.home))))
        #expect(rig.effects.of("bert").contains(.remember(.device(bert.id, environment: House.home))))
    }

    @Test func `a device that an earlier run has made is used again`() {
        var server = HouseServer()
        server.devices.append(House.device(House.id(310), in: House.home))
        var memory = PersistedState()
        memory.environment = House.home
        memory.devices = [House.home: House.homeDevice]
        memory.nodes["anna"] = PersistedState.Node()
        memory.nodes["anna"]?.devices = [House.home: House.id(310)]
        var rig = Rig(memory: memory, configuration: Self.configuration([Self.anna]), server: server)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.nodes["anna"]?.device?.id == House.id(310))
        #expect(rig.server.devices.count == 3)
    }

    @Test func `a reading moves the device of its node, and no other`() {
        var rig = rig()
        let before = rig.state
        move(&rig, "anna", 6, 2)
        #expect(rig.state.nodes["anna"]?.device?.position == Point3D(x: 6, y: 2))
        #expect(rig.state.nodes["anna"]?.zoneID == House.living)
        #expect(rig.state.nodes["anna"]?.nearbyID == House.floorLamp)
        #expect(rig.state.nodes["bert"] == before.nodes["bert"])
        #expect(rig.state.device == before.device)
        #expect(rig.state.zoneID == before.zoneID)
        #expect(rig.state.sequence == before.sequence)
    }

    @Test func `a notice about a device is for its node`() throws {
        var rig = rig()
        let bert = try #require(rig.state.nodes["bert"]?.device?.id)
        let effects = rig.notice(.near(thing: House.lamp, device: bert, distance: 1))
        #expect(rig.state.nodes["bert"]?.nearbyID == House.lamp)
        #expect(rig.state.nodes["anna"]?.nearbyID == nil)
        #expect(rig.state.nearbyID == nil)
        #expect(effects.events.isEmpty)
        #expect(effects.of("bert").eventNames == ["nearby near"])
    }

    @Test func `the list of all devices is another one when another thing is near one of them`() throws {
        var rig = rig()
        let bert = try #require(rig.state.nodes["bert"]?.device?.id)
        _ = rig.controller.removeChanges()
        _ = rig.notice(.near(thing: House.lamp, device: bert, distance: 1))
        #expect(rig.controller.removeChanges().contains(.devices))
    }

    @Test func `the events of a node are numbered without gaps`() {
        var rig = rig()
        move(&rig, "anna", 6, 2)
        rig.happens(.node("anna", near("on", true)))
        rig.serve()
        move(&rig, "anna", 1, 1)
        let anna = rig.effects.of("anna").allEvents.map(\.sequence)
        #expect(anna.count > 8)
        #expect(anna == Array(1...anna.count))
        let own = rig.effects.allEvents.map(\.sequence)
        #expect(own == Array(1...own.count))
        #expect(rig.state.nodes["anna"]?.sequence == anna.count)
    }

    @Test func `a timer of a node fires for this node`() throws {
        var rig = rig()
        let anna = try #require(rig.state.nodes["anna"]?.device?.id)
        rig.notice(.enter(zone: House.living, device: anna), after: 1000)
        let exit = rig.notice(.exit(zone: House.living, device: anna), after: 200)
        #expect(exit == [.startTimer(.node("anna", .exitCheck), milliseconds: 300)])
        rig.happens(.timerFired(.exitCheck), after: 300)
        #expect(rig.state.nodes["anna"]?.zoneID == House.living, "that was the timer of another")
        rig.happens(.timerFired(.node("anna", .exitCheck)))
        #expect(rig.state.nodes["anna"]?.zoneID == nil)
    }

    @Test func `a sensor is switched for one node, and remembered for it`() {
        var rig = rig()
        let effects = rig.happens(.node("anna", command(.switchSensor(.beacons, on: false))))
        #expect(effects.of("anna").contains(.remember(.sensor(.beacons, on: false))))
        #expect(effects.of("anna").contains(.switchSensor(.beacons, on: false)))
        #expect(rig.state.nodes["anna"]?.sensors[.beacons] == false)
        #expect(rig.state.sensors[.beacons] == true)
        move(&rig, "anna", 6, 2)
        #expect(rig.state.nodes["anna"]?.zoneID != House.living)
        let next = self.rig([Self.anna]) {
            $0.nodes["anna"] = PersistedState.Node()
            $0.nodes["anna"]?.sensors = [.beacons: false]
        }
        #expect(next.state.nodes["anna"]?.sensors[.beacons] == false)
    }

    @Test func `each node has a lifecycle of its own`() {
        var rig = rig()
        let calls = rig.happens(.node("anna", command(.setLifecycle(.level(.notRunning)))))
        #expect(calls.of("anna").calls == ["applicationDidClose"])
        #expect(calls.calls.isEmpty)
        #expect(rig.state.standing(for: "anna")?.lifecycle.level == .notRunning)
        #expect(rig.state.lifecycle.level == .background)
        #expect(rig.state.standing(for: "bert")?.lifecycle.level == .background)
    }

    // MARK: Commands

    private func command(_ operation: Command.Operation, ticket: Int = 1) -> ControllerEvent {
        .commandReceived(Command(ticket: ticket, operation: operation))
    }

    private func near(_ attribute: String, _ value: JSONValue) -> ControllerEvent {
        command(.set(.nearby(ifID: nil), ThingRequest(attributes: [attribute: value])))
    }

    @Test func `a command on nearby of a node drives what its device is near`() {
        var rig = rig()
        move(&rig, "anna", 6, 2)
        let effects = rig.happens(.node("anna", near("on", true))) + rig.serve()
        #expect(effects.answers.map(\.node) == ["anna"])
        #expect(effects.answers.map(\.refusal) == [nil])
        #expect(rig.state.things[House.floorLamp]?.data["on"] == true)
        #expect(effects.eventNames == ["thing changed"], "the thing is of the place")
        #expect(effects.of("anna").eventNames == ["nearby changed"])
        #expect(effects.of("bert").isEmpty)
    }

    @Test func `what is near one device is not near another`() {
        var rig = rig()
        move(&rig, "anna", 6, 2)
        let effects = rig.happens(.node("bert", near("on", true))) + rig.serve()
        #expect(effects.codes == [.noNearbyThing])
        #expect(effects.answers.first?.node == "bert")
        #expect(rig.state.things[House.floorLamp]?.data["on"] == false)
    }

    @Test func `device set moves the device of its node`() {
        var rig = rig()
        let change = SetDevice(position: Point3D(x: 6, y: 2))
        let effects = rig.happens(.node("bert", command(.setDevice(change)))) + rig.serve()
        #expect(effects.codes == [nil])
        #expect(effects.answers.first?.node == "bert")
        #expect(rig.state.nodes["bert"]?.device?.position == Point3D(x: 6, y: 2))
        #expect(rig.state.nodes["bert"]?.fix?.source == "command")
        #expect(rig.state.device?.position != Point3D(x: 6, y: 2))
    }

    @Test func `an answer to the daemon's own node names no node`() {
        var rig = rig()
        rig.set(["on": false])
        #expect(rig.serve().answers.map(\.node) == [nil])
    }

    // MARK: The place

    @Test func `another environment is another one for all`() throws {
        var rig = rig()
        let home = try #require(rig.state.nodes["anna"]?.device?.id)
        rig.command(.chooseEnvironment(.named("office")))
        let effects = rig.serve()
        #expect(rig.state.nodes["anna"]?.device?.environment == House.office)
        #expect(rig.state.nodes["bert"]?.device?.environment == House.office)
        #expect(effects.of("anna").eventNames.contains("environment selected"))
        rig.command(.chooseEnvironment(.named("home")))
        rig.serve()
        #expect(rig.state.nodes["anna"]?.device?.id == home)
        #expect(rig.server.devices.count == 6)
    }

    @Test func `the location of a further device chooses no environment`() {
        var rig = rig()
        rig.happens(.node("anna", House.located(20)))
        rig.serve()
        #expect(rig.state.environmentID == House.home)
        #expect(rig.state.nodes["anna"]?.location != nil)
        #expect(rig.state.location == nil)
    }

    @Test func `a thing that is removed is near nobody any more`() {
        var rig = rig()
        move(&rig, "anna", 6, 2)
        rig.server.things.removeAll { $0.id == House.floorLamp }
        rig.notice(.thingChanged(House.floorLamp, nil, environment: House.home))
        let effects = rig.effects.of("anna").eventNames
        #expect(effects.last == "nearby far")
        #expect(rig.state.nodes["anna"]?.nearbyID == nil)
    }

    @Test func `after a lost link all devices are read again`() {
        var rig = rig()
        let devices = ["anna", "bert"].compactMap { rig.state.nodes[$0]?.device?.id }
        rig.lose()
        rig.happens(.flare(.linkUp))
        for device in devices {
            #expect(rig.asked.contains(.loadDevice(device, environment: House.home)))
        }
        rig.serve()
        #expect(rig.server.devices.count == 4)
    }

    @Test func `a device that cannot be read is asked for again by its node alone`() throws {
        var rig = rig()
        let anna = try #require(rig.state.nodes["anna"]?.device?.id)
        rig.notice(.modelChanged(ObjectReference(.device, anna), environment: House.home))
        let effects = rig.serveOne(.failure(.rejected("no")))
        #expect(
            effects.contains {
                if case .startTimer(.node("anna", .readAgain), _) = $0 { true } else { false }
            }
        )
        let again = rig.happens(.timerFired(.node("anna", .readAgain)))
        #expect(again.requests == [.loadDevice(anna, environment: House.home)])
        rig.serve()
        #expect(rig.state.nodes["anna"]?.alerts.isEmpty == true)
        #expect(rig.state.alerts["flare-load"] == nil)
    }

    // MARK: The list

    @Test func `a device that is taken off the list leaves the others as they are`() {
        var rig = rig()
        move(&rig, "anna", 6, 2)
        move(&rig, "bert", 1, 1)
        let before = rig.state
        let effects = rig.happens(.configurationApplied(Self.configuration([Self.anna])))
        #expect(rig.state.nodes["bert"] == nil)
        #expect(rig.state.nodes["anna"] == before.nodes["anna"])
        #expect(rig.state.device == before.device)
        #expect(effects.contains(.stopTimer(.node("bert", .positionDue))))
        #expect(rig.happens(.node("bert", House.estimate(6, 2))) == [])
        #expect(rig.asked.isEmpty)
    }

    @Test func `the daemon's own node cannot be listed a second time`() {
        let rig = rig([ListedNode(node: "hall", name: "Hall"), Self.anna])
        #expect(rig.state.nodes.keys.sorted() == ["anna"])
    }

    // MARK: What is published

    @Test func `a node is shown the place with its own device`() throws {
        var rig = rig()
        _ = rig.controller.removeChanges()
        for node in rig.controller.changedNodes() { _ = rig.controller.removeSnapshot(of: node) }
        move(&rig, "anna", 6, 2)
        #expect(rig.controller.changedNodes() == ["anna"])
        let removed = rig.controller.removeSnapshot(of: "anna")
        let snapshot = try #require(removed)
        #expect(snapshot.state.zoneID == House.living)
        #expect(snapshot.state.device?.data["node"] == "anna")
        #expect(snapshot.state.things == rig.state.things)
        #expect(snapshot.changes.isSuperset(of: [.zone, .nearby, .device, .position]))
        #expect(rig.controller.removeSnapshot(of: "anna") == nil)
        let own = rig.controller.removeChanges()
        let zones = [House.kitchen, House.living].map { StateChange.occupancy($0) }
        #expect(own.isSuperset(of: zones + [.devices]), "who is in a zone is published with the zone")
        let objects = [House.kitchen, House.living].map { StateChange.object(ObjectReference(.zone, $0)) }
        #expect(own.isDisjoint(with: objects), "no zone is another one, so that nobody announces them again")
        #expect(own.isDisjoint(with: [.zone, .nearby, .device, .position]))
    }

    @Test func `a change of the nearby thing is a change for those whose it is`() {
        var rig = rig()
        move(&rig, "anna", 6, 2)
        for node in rig.controller.changedNodes() { _ = rig.controller.removeSnapshot(of: node) }
        _ = rig.controller.removeChanges()
        rig.set(["on": true], of: "floor-lamp")
        rig.serve()
        #expect(rig.controller.changedNodes() == ["anna"])
        #expect(rig.controller.removeSnapshot(of: "anna")?.changes == [.nearby])
    }

    @Test func `a change of a thing that nobody is near changes no node`() {
        var rig = rig()
        move(&rig, "anna", 6, 2)
        move(&rig, "anna", 1, 1)
        for node in rig.controller.changedNodes() { _ = rig.controller.removeSnapshot(of: node) }
        _ = rig.controller.removeChanges()
        rig.set(["on": true], of: "floor-lamp")
        rig.serve()
        #expect(rig.state.nodes["anna"]?.nearbyID != House.floorLamp)
        #expect(rig.controller.changedNodes().isEmpty)
    }

    @Test
    func `a node that was taken off the list has no changes any more, and its zone is said to be empty`() {
        var rig = rig()
        move(&rig, "anna", 6, 2)
        for node in rig.controller.changedNodes() { _ = rig.controller.removeSnapshot(of: node) }
        _ = rig.controller.removeChanges()
        rig.happens(.nodesListed([Self.bert], leavingPlace: []))
        #expect(!rig.controller.changedNodes().contains("anna"))
        #expect(rig.controller.removeChanges().contains(.occupancy(House.living)))
        rig.set(["on": true], of: "floor-lamp")
        rig.serve()
        #expect(rig.controller.changedNodes().isEmpty)
    }

    @Test func `who may not see devices sees none of the further ones`() {
        let rig = rig()
        #expect(rig.state.seen(by: Reader()).nodes.isEmpty)
        #expect(rig.state.nodes.count == 2)
    }

    @Test func `a machine that is no device has none in the place, and its readings move nobody`() {
        var configuration = Self.configuration([Self.anna])
        configuration.isPresent = false
        var memory = PersistedState()
        memory.environment = House.home
        var rig = Rig(memory: memory, configuration: configuration)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.isPlaceKnown && rig.state.device == nil)
        #expect(rig.state.nodes["anna"]?.device != nil)
        rig.happens(House.estimate(6, 2), after: 1100)
        rig.serve()
        #expect(rig.state.fix == nil && rig.state.zoneID == nil && rig.state.nearbyID == nil)
        move(&rig, "anna", 6, 2)
        #expect(rig.state.nodes["anna"]?.zoneID == House.living)
    }

    @Test func `a daemon with one device knows of no others`() {
        var rig = rig([])
        rig.happens(House.estimate(6, 2), after: 1100)
        rig.serve()
        #expect(rig.controller.changedNodes().isEmpty)
        #expect(!rig.controller.removeChanges().contains(.devices))
        #expect(rig.happens(.node("anna", House.estimate(1, 1))) == [])
    }
}

extension [ControllerEffect] {
    /// The effects of a further node.
    fileprivate func of(_ name: String) -> [ControllerEffect] {
        compactMap { if case .node(name, let effect) = $0 { effect } else { nil } }
    }
}
