import MQTT
import Testing
import TrilateralApp

struct RetainedNodeTests {
    private var node = RetainedNode(root: "trilateral/demo", discoveryPrefix: "homeassistant", mark: "m")

    private func kept(_ topic: String, _ payload: String, isRetained: Bool = true) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained)
    }

    private func announcement(
        _ name: String,
        status: String = "trilateral/demo/status",
        by: String = "Trilateral"
    )
        -> MQTTMessage
    {
        kept(
            "homeassistant/device/\(name)/config",
            #"{"origin":{"name":"\#(by)"},"availability":[{"topic":"\#(status)"},{"topic":"x"}]}"#
        )
    }

    @Test mutating func `retained topics of the node are its own, live ones and others are not`() {
        for topic in ["trilateral/demo/status", "trilateral/demo/things/a/data"] {
            node.receive(kept(topic, "x"))
        }
        node.receive(kept("trilateral/demo/event/zone", "{}", isRetained: false))
        node.receive(kept("trilateral/demo2/status", "offline"))
        #expect(node.topics == ["trilateral/demo/status", "trilateral/demo/things/a/data"])
        #expect(!node.isOnline && !node.isAnswering && !node.isEmpty)
        node.receive(kept("trilateral/demo/status", "", isRetained: false))
        #expect(node.topics == ["trilateral/demo/things/a/data"])
    }

    @Test mutating func `devices belong to the node by its status, whatever their topic is called`() {
        node.receive(announcement("trilateral_demo"))
        node.receive(announcement("another_name"))
        node.receive(announcement("trilateral_demo_lamp", status: "other/demo/status"))
        node.receive(announcement("trilateral_demo_desk", by: "zigbee2mqtt"))
        node.receive(kept("homeassistant/device/trilateral_demo_rug/config", "no JSON"))
        #expect(
            node.devices == [
                "homeassistant/device/another_name/config", "homeassistant/device/trilateral_demo/config",
            ]
        )
    }

    @Test mutating func `devices are cleared before the topics that they speak of`() {
        node.receive(kept("trilateral/demo/info", "{}"))
        node.receive(announcement("trilateral_demo"))
        #expect(node.all == ["homeassistant/device/trilateral_demo/config", "trilateral/demo/info"])
    }

    @Test mutating func `only the answer to our own question shows that a daemon runs`() {
        node.receive(kept("trilateral/demo/status", "online"))
        #expect(node.isOnline && !node.isAnswering)
        node.receive(
            kept("trilateral/demo/response/ping", #"{"status":"ok","tx":"other"}"#, isRetained: false)
        )
        #expect(!node.isAnswering)
        node.receive(kept("trilateral/demo/response/ping", #"{"status":"ok","tx":"m"}"#, isRetained: false))
        #expect(node.isAnswering)
        #expect(node.ping.topic == "trilateral/demo/request/ping")
    }
}
