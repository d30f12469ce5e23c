import Bindings
import Controller
import Flare
import Messages
import People
import Testing

struct ThingsAccessListTests {
    private let list = AccessList(topics: Topics(root: "t/n"), commands: .tested, discoveryPrefix: "ha")

    private func filters(_ thing: AccessThing, _ access: AccessList.Access) -> [String] {
        list.grants(of: thing).filter { $0.access == access }.map { String($0.filter.dropFirst(9)) }
    }

    @Test func `a thing writes what it reports and reads what it is told, on its own topics`() {
        let thing = AccessThing("v-1")
        #expect(filters(thing, .write) == ["v-1/onboard", "v-1/state", "v-1/result", "v-1/status"])
        #expect(filters(thing, .read) == ["v-1/onboarded", "v-1/command", "v-1/error"])
        #expect(list.grants(of: thing).allSatisfy { $0.filter.hasPrefix("t/n/edge/v-1/") })
    }

    @Test func `a gateway does the same for its end nodes, and says which it sees`() {
        let gateway = AccessThing("g", isGateway: true)
        let own = ["g/onboard", "g/state", "g/result", "g/status", "g/nodes"]
        let nodes = ["onboard", "state", "result", "status"].map { "g/node/+/\($0)" }
        #expect(filters(gateway, .write) == own + nodes)
        let told = ["onboarded", "command", "error"]
        #expect(filters(gateway, .read) == told.map { "g/\($0)" } + told.map { "g/node/+/\($0)" })
    }

    @Test func `no role and no user may write or read what things do`() {
        for role in AccessList.Role.allCases where role != .daemon {
            for grant in list.grants(role) {
                #expect(!grant.filter.contains("edge") && grant.filter != "t/n/#", "\(role)")
            }
        }
        let bob = User(id: AccountID(high: 2, low: 0), name: "bob")
        let table = AccessTable(users: [bob], grants: [Grant(id: 1, .user(bob.id), .own, .all)])
        let grants = list.grants(of: bob, in: table, AccessPlace(), at: 0)
        #expect(!grants.contains { $0.filter.contains("edge") })
    }

    @Test func `the text has a section for each thing, by name`() {
        let text = list.thingsText([AccessThing("v-2"), AccessThing("v-1")])
        let sections = text.split(separator: "\n").filter { $0.hasPrefix("user ") }
        #expect(sections == ["user v-1", "user v-2"])
        #expect(
            text.contains(
                """
                user v-1
                topic write t/n/edge/v-1/onboard
                topic write t/n/edge/v-1/state
                topic write t/n/edge/v-1/result
                topic write t/n/edge/v-1/status
                topic read t/n/edge/v-1/onboarded
                topic read t/n/edge/v-1/command
                topic read t/n/edge/v-1/error

                """
            )
        )
        #expect(text.hasPrefix("# permissions ") && text.split(separator: "\n").first?.utf8.count == 30)
        #expect(list.thingsText([AccessThing("v-1"), AccessThing("v-2")]) == text)
        #expect(list.thingsText([AccessThing("v-1")]).prefix(30) != text.prefix(30))
    }

    @Test func `a thing with the name of another user gets nothing`() {
        let text = list.thingsText(
            [AccessThing("trilateral"), AccessThing("bob"), AccessThing("v")],
            others: ["bob"]
        )
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("user ") } == ["user v"])
        #expect(text.contains("# bob: left out") && text.contains("# trilateral: left out"))
    }

    @Test func `a name that no thing can have is no line`() {
        let text = list.thingsText([AccessThing("a\nuser trilateral"), AccessThing("+"), AccessThing("")])
        #expect(!text.contains("user ") && !text.contains("topic "))
    }

    @Test func `an end node has no user, and who has end nodes is a gateway once it is owned`() {
        var bindings = (1...5).map { number in
            ThingBinding(
                BindingID(high: 0, low: UInt64(number)),
                vendor: "v-\(number)",
                password: "",
                made: 0
            )
        }
        bindings[1].gateway = bindings[0].id
        bindings[1].layout = .endNode
        bindings[2].layout = .gateway
        bindings[4].layout = .gateway
        for index in 0..<3 { bindings[index].isOwned = true }
        #expect(
            AccessThing.all(of: bindings) == [
                AccessThing("v-1", isGateway: true), AccessThing("v-3", isGateway: true), AccessThing("v-4"),
                AccessThing("v-5"),
            ]
        )
    }

    @Test func `users and things are in one list, with one hash`() {
        let bob = User(id: AccountID(high: 2, low: 0), name: "bob")
        let table = AccessTable(users: [bob])
        let without = list.peopleText(table, AccessPlace(), at: 0)
        let both = list.peopleText(
            table,
            AccessPlace(),
            things: [AccessThing("v"), AccessThing("bob")],
            at: 0
        )
        #expect(both.split(separator: "\n").filter { $0.hasPrefix("user ") } == ["user bob", "user v"])
        #expect(both.contains("# bob: left out"))
        #expect(without.prefix(30) != both.prefix(30))
    }

    @Test func `who has only signed up takes nothing from the thing of that name`() {
        let eve = User(id: AccountID(high: 2, low: 0), name: "eve", state: .pending)
        let table = AccessTable(users: [eve])
        let text = list.peopleText(table, AccessPlace(), things: [AccessThing("eve")], at: 0)
        #expect(text.contains("user eve\n") && !text.contains("left out"))
        let names = AccessList.names(of: table)
        #expect(list.thingsText([AccessThing("eve")], others: names).contains("user eve\n"))
    }
}
