import CommandFixture
import Controller
import Flare
import JSON
import Testing

/// Things that do nothing but mark where a receiver is.
@Suite struct NearbyReceiverTests {
    /// A device at home, and beside it the kettle with some data; the lamp is half a metre farther.
    private func rig(_ data: JSONObject, actions: [String] = []) -> Rig {
        var server = HouseServer()
        for index in server.devices.indices { server.devices[index].position = House.outside }
        for index in server.things.indices where server.things[index].id == House.kettle {
            server.things[index].data = data
            server.things[index].actions = actions
            server.things[index].position = Point3D(x: 2, y: 2.5)
        }
        var rig = Rig.atHome(presence: .steady(SteadyPresence.Settings()), server: server)
        for _ in 0..<3 {
            rig.happens(House.estimate(2, 2.5), after: 1000)
            rig.serve()
        }
        return rig
    }

    @Test(
        arguments: [["receiver": "kitchen"], ["receiver": "kitchen", "minor": 7, "mac": "aa"]] as [JSONObject]
    )
    func `a thing that only marks a receiver is not the nearby thing`(data: JSONObject) throws {
        var rig = rig(data)
        #expect(rig.state.nearbyID == House.lamp)
        let answer = rig.command(.explain(.nearby(thing: "kettle"))).answers.first
        let text = try #require(answer?.data?["text"]?.string)
        #expect(text.contains("cannot be near: it marks where a receiver is"), "\(text)")
    }

    @Test func `a thing with a receiver and something to control may be the nearby thing`() {
        #expect(rig(["receiver": "kitchen", "on": true]).state.nearbyID == House.kettle)
        #expect(rig(["receiver": "kitchen"], actions: ["boil"]).state.nearbyID == House.kettle)
    }

    @Test(arguments: [[:], ["minor": 7]] as [JSONObject])
    func `a thing with nothing to control that is no receiver may be the nearby thing`(data: JSONObject) {
        #expect(rig(data).state.nearbyID == House.kettle)
    }

    @Test func `a nearby thing that becomes a mark of a receiver gives way to the next one`() throws {
        var rig = rig([:])
        try #require(rig.state.nearbyID == House.kettle)
        var thing = try #require(rig.state.things[House.kettle])
        thing.data = ["receiver": "kitchen"]
        rig.notice(.thingChanged(House.kettle, thing, environment: House.home))
        rig.happens(.timerFired(.presenceCheck), after: 1500)
        #expect(rig.state.nearbyID == House.lamp)
    }
}
