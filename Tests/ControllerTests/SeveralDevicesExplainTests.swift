import CommandFixture
import Controller
import Flare
import JSON
import People
import Testing
import Things

/// Explanations in a daemon with several devices.
@Suite struct SeveralDevicesExplainTests {
    private func rig() -> Rig {
        var configuration = ControllerConfiguration()
        (configuration.node, configuration.nodes) = ("hall", [ListedNode(node: "anna", name: "Anna")])
        return Rig.atHome(configuration)
    }

    @Test func `who may see one device is told nothing of the commands of others`() throws {
        let bob = AccountID(high: 0, low: 2)
        func answer(_ scopes: Scope...) throws -> Answer {
            var rig = rig()
            rig.set(["color": "blue"])
            rig.serve()
            rig.controller.policies = [PeoplePolicy()]
            let grants = scopes.enumerated().map { Grant(id: Int64($0 + 1), .user(bob), .read, $1) }
            rig.happens(
                .peopleChanged(AccessTable(users: [User(id: bob, name: "bob")], grants: grants))
            )
            let command = Command(ticket: 9, operation: .explain(.command(tx: nil)), caller: .user(bob))
            return try #require(rig.happens(.node("anna", .commandReceived(command))).answers.first)
        }
        #expect(try answer(.all, .device("anna")).refusal?.code == .notAllowed)
        #expect(try answer(.all, .devices).refusal == nil)
    }

    @Test func `what is logged of a command names the node that got it, also if nobody could read it`() throws
    {
        var rig = rig()
        let command = Command(
            ticket: 1,
            operation: .set(.nearby(ifID: nil), ThingRequest(attributes: ["brightness": 1]))
        )
        rig.happens(.commandReceived(command))
        rig.happens(.node("anna", .commandReceived(command)))
        let answer = Answer(ticket: 2, tx: nil, subject: .set)
        rig.happens(.node("anna", .commandRefused(answer, caller: nil, source: "192.0.2.7")))
        rig.serve()
        #expect(rig.log.map(\.answer.node) == [nil, "anna", "anna"])
    }

    @Test func `explain names the receivers that could give a device a position`() throws {
        var configuration = ControllerConfiguration()
        (configuration.node, configuration.nodes) = ("hall", [ListedNode(node: "anna", name: "Anna")])
        var server = HouseServer()
        var reporting: [String] = []
        func texts() throws -> [String] {
            var rig = Rig.atHome(configuration, presence: .steady(.init()), server: server)
            if !reporting.isEmpty { rig.happens(.receiversUnplaced(reporting)) }
            return try [Explanation.Subject.zone, .nearby(thing: nil)].map { subject in
                let command = Command(ticket: 9, operation: .explain(subject))
                let answer = rig.happens(.node("anna", .commandReceived(command))).answers.first
                return try #require(answer?.data?["text"]?.string)
            }
        }
        for text in try texts() { #expect(text.contains("No thing of this environment"), "\(text)") }
        reporting = ["kitchen"]
        for text in try texts() {
            #expect(text.contains("No thing has these, which report: kitchen."), "\(text)")
        }
        reporting = []
        server.things[0].data["receiver"] = "kichen"
        server.things[1].data["receiver"] = "hall"
        for text in try texts() {
            #expect(text.contains("not known yet. Only reports of the receivers"), "\(text)")
            #expect(text.contains("hall") && text.contains("kichen"), "\(text)")
            #expect(!text.contains("which report"), "\(text)")
        }
        // A thing has got the name since.
        reporting = ["hall", "kitchen"] + (10..<40).map { "r\($0)" }
        for text in try texts() {
            #expect(text.contains("hall, kichen. No thing has these, which report: kitchen, r10,"), "\(text)")
            #expect(text.contains("r27.") && !text.contains("r28"), "\(text)")
        }
    }

    @Test(arguments: [false, true])
    func `a daemon without a device of its own says so, and where the others are`(hasOthers: Bool) throws {
        var configuration = ControllerConfiguration()
        configuration.isPresent = false
        if hasOthers { configuration.nodes = [ListedNode(node: "anna", name: "Anna")] }
        var rig = Rig.atHome(configuration, presence: .steady(.init()), server: HouseServer())
        for subject in [Explanation.Subject.zone, .nearby(thing: nil)] {
            let text = try #require(rig.command(.explain(subject)).answers.first?.data?["text"]?.string)
            #expect(text.contains("no device of its own"), "\(text)")
            #expect(text.contains("name its node") == hasOthers, "\(text)")
        }
    }

    @Test func `commands of two nodes with one number are told apart`() throws {
        var rig = rig()
        func set(_ thing: String, _ tx: JSONValue) -> ControllerEvent {
            let request = ThingRequest(attributes: ["brightness": 10])
            return .commandReceived(Command(ticket: 1, operation: .set(.thing(thing), request), tx: tx))
        }
        rig.happens(set("lamp", "own"))
        rig.happens(.node("anna", set("floor-lamp", "anna")))
        #expect(rig.serveOne().answers.map(\.node) == [nil])
        func outcome(_ tx: JSONValue) -> JSONValue? {
            rig.command(.explain(.command(tx: tx))).answers.first?.data?["outcome"]
        }
        #expect(outcome("own") == "accepted")
        #expect(outcome("anna") == "sent")
    }
}
