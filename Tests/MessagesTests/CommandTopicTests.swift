import Controller
import Messages
import Testing

struct CommandTopicTests {
    @Test(arguments: CommandTopic.filters)
    func `a topic is read as it is written`(filter: String) {
        #expect(CommandTopic(tail: filter[...])?.tail == filter)
    }

    @Test(
        arguments: [
            ("nearby/set", .nearbySet), ("nearby/set/color", .nearbySetAttribute("color")),
            ("nearby/action", .nearbyAction),
            ("things/lamp/set", .thingSet("lamp")),
            ("things/zone/set/color", .thingSetAttribute(thing: "zone", attribute: "color")),
            ("things/lamp/action", .thingAction("lamp")), ("things/lamp/get", .thingGet("lamp")),
            ("zones/hall/set", .zoneSet("hall")), ("device/set", .deviceSet),
            ("environment/set", .environmentSet), ("sensors/gps/set", .sensorSet("gps")),
            ("request/ping", .request("ping")), ("lifecycle/level/set", .lifecycleSet("level")),
            ("things//set", .thingSet("")), ("request/", .request("")), ("things/set/set", .thingSet("set")),
        ] as [(String, CommandTopic)]
    )
    func `every command topic is recognised`(tail: String, topic: CommandTopic) {
        #expect(CommandTopic(tail: tail[...]) == topic)
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
        #expect(CommandTopic(tail: tail[...]) == nil)
    }

    @Test func `each filter lets through what the decoder knows`() {
        #expect(CommandTopic.filters.count == 14)
        for filter in CommandTopic.filters {
            #expect(CommandTopic(levels: filter.split(separator: "/")) != nil, "\(filter)")
        }
    }

    @Test func `answers go where the contract has them`() {
        #expect(CommandTopic.thingGet("x").subject == .get)
        #expect(CommandTopic.request("pong").subject == .verb("pong"))
        #expect(CommandTopic.nearbyAction.subject == .set)
        #expect(CommandTopic.sensorSet("gps").subject == .set)
    }
}
