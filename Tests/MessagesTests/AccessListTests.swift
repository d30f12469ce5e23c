import Controller
import Flare
import Messages
import Testing

struct AccessListTests {
    private let topics = Topics(root: "t/n")
    private var list: AccessList {
        var list = AccessList(topics: topics, commands: .tested, discoveryPrefix: "ha")
        list.capabilities = [
            .init(access: .read, filter: "ha/status"),
            .init(access: .readwrite, filter: "ha/device/+/config"),
        ]
        return list
    }

    /// Whether a topic, or a filter, is within a filter.
    private func covers(_ filter: String, _ topic: String) -> Bool {
        var (left, right) = (filter.split(separator: "/")[...], topic.split(separator: "/")[...])
        while let level = left.popFirst() {
            if level == "#" { return true }
            guard let other = right.popFirst(), level == other || level == "+" && other != "#" else {
                return false
            }
        }
        return right.isEmpty
    }

    private func may(_ role: AccessList.Role, _ access: AccessList.Access, _ topic: String) -> Bool {
        list.grants(role).contains {
            ($0.access == access || $0.access == .readwrite) && covers($0.filter, topic)
        }
    }

    @Test func `roles have the topics of further devices, too, and no other node's`() {
        var list = list
        list.nodes = ["anna"]
        func may(_ role: AccessList.Role, _ access: AccessList.Access, _ topic: String) -> Bool {
            list.grants(role).contains {
                ($0.access == access || $0.access == .readwrite) && covers($0.filter, topic)
            }
        }
        #expect(may(.daemon, .write, "t/anna/zone") && may(.daemon, .read, "t/anna/nearby/set"))
        for role in [AccessList.Role.homeAssistant, .driver] {
            #expect(may(role, .read, "t/anna/zone") && may(role, .write, "t/anna/nearby/set"))
            #expect(!may(role, .write, "t/anna/things/lamp/set") && !may(role, .write, "t/anna/zone"))
            #expect(!may(role, .read, "t/bert/zone"))
        }
        #expect(may(.kiosk, .read, "t/anna/zone") && !may(.kiosk, .write, "t/anna/nearby/set"))
        #expect(!may(.sensor, .read, "t/anna/zone"))
    }

    /// Topics that we tell.
    private var told: [String] {
        [
            topics.status, topics.info, topics.health, topics.state, topics.environment, topics.zone,
            topics.device,
            topics.devicePosition, topics.deviceAngle, topics.deviceLocation, topics.nearby,
            topics.nearbyAvailability, topics.nearbyLight, topics.nearbyDistance,
            topics.map, topics.alert("x"), topics.sensor(.gps), topics.event(.zone),
            topics.object(.thing, "lamp"),
            topics.data(thing: "lamp"), topics.availability(thing: "lamp"), topics.response(.set),
            topics.rule("night"), topics.firings(ofRule: "night"), topics.output(ofRule: "night"),
            topics.event(.rule),
        ]
    }

    @Test func `the daemon may tell everything, its will too, and hears every command and reading`() {
        for topic in told + ["ha/device/trilateral_n/config", "replies/driver/1"] {
            #expect(may(.daemon, .write, topic), "\(topic)")
        }
        for topic in topics.commands(.tested) + [
            topics.presence, topics.raw("gps"), topics.info, topics.status, "ha/status",
        ] {
            #expect(may(.daemon, .read, topic), "\(topic)")
        }
        for topic in ["t/other/status", "ha/status", "zigbee2mqtt/lamp/set"] {
            #expect(!may(.daemon, .write, topic), "\(topic)")
        }
    }

    @Test(arguments: [AccessList.Role.homeAssistant, .driver])
    func `who drives may give every command that is heard, reads all that is told, and tells nothing`(
        role: AccessList.Role
    ) {
        for topic in topics.commands(.tested) { #expect(may(role, .write, topic), "\(topic)") }
        for topic in told {
            #expect(may(role, .read, topic), "\(topic)")
            #expect(!may(role, .write, topic), "\(topic)")
        }
        #expect(may(role, .read, "replies/\(role.rawValue)/7"))
        #expect(!may(role, .read, "replies/other/7"))
    }

    @Test func `Home Assistant reads what is announced and says that it is there`() {
        #expect(may(.homeAssistant, .read, "ha/device/trilateral_n/config"))
        #expect(may(.homeAssistant, .write, "ha/status"))
        #expect(!may(.driver, .write, "ha/status"))
    }

    @Test func `a kiosk reads, and says whether it is visible`() {
        #expect(may(.kiosk, .write, "t/n/display/hall/presence"))
        #expect(list.grants(.kiosk).filter { $0.access != .read }.count == 1)
        for topic in told { #expect(may(.kiosk, .read, topic)) }
    }

    @Test func `a sensor tells its readings, and nothing else`() {
        for sensor in ["compass", "gps", "beacons"] { #expect(may(.sensor, .write, topics.raw(sensor))) }
        #expect(!may(.sensor, .write, "t/n/sensors/gps/set"))
        #expect(list.grants(.sensor).allSatisfy { $0.access == .write })
    }

    @Test func `what capabilities need is granted to the daemon alone`() {
        var list = list
        list.capabilities += [
            .init(access: .read, filter: "espresense/devices/phone/+"),
            .init(access: .write, filter: "zigbee2mqtt/lamp/set"),
        ]
        let text = list.text()
        #expect(text.contains("topic read espresense/devices/phone/+\n"))
        #expect(text.contains("topic write zigbee2mqtt/lamp/set\n"))
        for role in AccessList.Role.allCases where role != .daemon {
            #expect(!list.text([role]).contains("espresense") && !list.text([role]).contains("zigbee2mqtt"))
        }
    }

    @Test func `users are named`() {
        var list = list
        list.users = [.daemon: "panel", .driver: "node red"]
        let text = list.text([.daemon, .driver])
        #expect(text.contains("\nuser panel\n") && text.contains("\nuser node red\n"))
        #expect(text.contains("topic read replies/node red/#\n"))
        #expect(!text.contains("user kiosk"))
    }

    @Test func `nobody but the daemon reads commands, what is a user's own, or outboxes`() {
        let hidden =
            CommandTable.tested.filters.map { "t/n/" + $0.replacing("+", with: "x") }
            + [
                "t/n/users/bob/response/set", "t/n/users/bob/things/lamp/set", "t/n/outbox/email",
                "t/n/outbox-dev/x/commands", "t/n/edge/x", "t/n/sensors/gps/raw", "t/n/rules/night/set",
                "t/n/rules/night/run",
            ]
        for topic in hidden {
            for role in AccessList.Role.allCases where role != .daemon {
                let isSenders = role == .sender && topic.hasPrefix("t/n/outbox")
                #expect(may(role, .read, topic) == isSenders, "\(topic) by \(role)")
            }
            #expect(may(.daemon, .read, topic), "\(topic)")
        }
        #expect(list.grants(.sender).allSatisfy { $0.access == .read })
    }

    @Test func `it is written as mosquitto reads it`() {
        let expected = """
            # sender: reads the email messages that it is to deliver
            user sender
            topic read t/n/outbox/#
            topic read t/n/outbox-dev/#

            """
        #expect(list.text([.sender]) == expected)
    }
}
