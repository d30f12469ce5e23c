import Controller
import Messages
import Testing

struct CommandTopicTests {
    @Test(arguments: CommandTable.tested.filters)
    func `a topic is read as it is written`(filter: String) {
        #expect(CommandTable.tested.topic(filter[...])?.tail == filter)
    }

    @Test(
        arguments: [
            ("nearby/set", .nearbySet, []), ("nearby/set/color", .nearbySetAttribute, ["color"]),
            ("nearby/action", .nearbyAction, []), ("things/lamp/set", .thingSet, ["lamp"]),
            ("things/zone/set/color", .thingSetAttribute, ["zone", "color"]),
            ("things/lamp/action", .thingAction, ["lamp"]), ("things/lamp/get", .thingGet, ["lamp"]),
            ("zones/hall/set", .zoneSet, ["hall"]), ("device/set", .deviceSet, []),
            ("environment/set", .environmentSet, []), ("sensors/gps/set", .sensorSet, ["gps"]),
            ("request/ping", .ping, []), ("lifecycle/level/set", .lifecycleSet, ["level"]),
            ("display/hall/screen/set", .screenSet, ["hall"]), ("things//set", .thingSet, [""]),
            ("things/set/set", .thingSet, ["set"]),
        ] as [(String, CommandDescriptor, [String])]
    )
    func `every command topic is recognised`(tail: String, descriptor: CommandDescriptor, names: [String]) {
        let topic = CommandTable.tested.topic(tail[...])
        #expect(topic == descriptor.topic(names.first ?? "", names.dropFirst().first ?? ""))
        #expect(topic?.tail == tail)
    }

    @Test(arguments: [
        "", "/", "nearby", "nearby/", "nearby/get", "nearby/set/a/b", "things/lamp", "things/lamp/set/a/b",
        "things/lamp/data", "zones/hall", "zones/hall/lights", "zones/hall/set/color",
        "device", "device/set/x", "device/position", "environment", "environments/home/set", "sensors/gps",
        "sensors/gps/raw",
        "sensors/set", "lifecycle/set", "lifecycle/level", "request", "request/a/b", "Nearby/set", "status",
        "nearby/set/a/b/c/d/e/f",
    ])
    func `other topics are no commands`(tail: String) {
        #expect(CommandTable.tested.topic(tail[...]) == nil)
    }

    @Test func `each filter lets through what the decoder knows`() {
        #expect(CommandTable.tested.filters.count == 14)
        for filter in CommandTable.tested.filters {
            #expect(CommandTable.tested.topic(filter[...]) != nil, "\(filter)")
        }
    }

    @Test func `answers go where the contract has them`() {
        #expect(CommandDescriptor.thingGet.topic("x").subject == .get)
        #expect(CommandTable.tested.topic("request/pong")?.subject == .verb("pong"))
        #expect(CommandTable.tested.topic("request/")?.subject == .verb(""))
        #expect(CommandDescriptor.nearbyAction.topic().subject == .set)
        #expect(CommandDescriptor.sensorSet.topic("gps").subject == .set)
    }

    @Test func `a command has the same path over HTTP, or one of its own, or none`() {
        #expect(CommandDescriptor.thingSet.web == .init(.post, "things/{thing}/set"))
        #expect(CommandDescriptor.screenSet.web == .init(.post, "display/{display}/screen"))
        for descriptor: CommandDescriptor in [.thingGet, .nearbySetAttribute, .thingSetAttribute] {
            #expect(descriptor.web == nil)
        }
    }

    @Test func `objects are made, changed and removed over HTTP alone`() {
        let paths = CommandTable.tested.descriptors.filter { $0.topic == nil }.compactMap(\.web)
        for kind in ["environment", "zone", "thing"] {
            #expect(paths.contains(.init(.post, "\(kind)s")))
            #expect(paths.contains(.init(.patch, "\(kind)s/{\(kind)}")))
            #expect(paths.contains(.init(.delete, "\(kind)s/{\(kind)}")))
        }
        #expect(paths.count == 9)
    }
}
