import Controller
import Flare
import Messages
import Testing

struct TopicsTests {
    private let topics = Topics(root: "trilateral/desk")

    @Test func `the model has plural names, so that a thing called zone collides with nothing`() {
        #expect(topics.object(.thing, "zone") == "trilateral/desk/things/zone")
        #expect(topics.zone == "trilateral/desk/zone")
        #expect(topics.object(.environment, "home") == "trilateral/desk/environments/home")
    }

    @Test(arguments: [
        ("ping", "trilateral/desk/response/ping"), ("", "trilateral/desk/response/unknown"),
        ("a/b", "trilateral/desk/response/a-b"), ("+", "trilateral/desk/response/unknown"),
        (String(repeating: "x", count: 500), "trilateral/desk/response/" + String(repeating: "x", count: 48)),
    ])
    func `an answer to an unknown verb goes to one level of plain letters`(verb: String, topic: String) {
        #expect(topics.response(.verb(verb)) == topic)
    }
}
