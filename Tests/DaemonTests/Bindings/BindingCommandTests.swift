import Accounts
import Bindings
import Controller
import Daemon
import Flare
import JSON
import People
import Testing
import Things
import Threading

/// Commands of things that the Flare server carries out.
@Suite(.timeLimit(.minutes(2)))
struct BindingCommandTests {
    @Test func `actions run in order and one that fails does not stop the next`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            let id = try await home.give([["brightness": 0.4], ["nothing": 3], ["lighter": true]]).get()
            #expect(try await home.state(id) == "INCOMPLETE")
            #expect(try await home.failures(id) == [nil, "unknown_attribute", nil])
            let lamp = ObjectReference(.thing, TestPlace.lamp.id)
            let words = home.place.asked.withLock { $0 }.map { request in
                switch request {
                case .setData(lamp, let values, _, _): values.keys.joined()
                case .performAction(lamp, let action, _): action
                default: ""
                }
            }
            #expect(words == ["brightness", "lighter"])
        }
    }

    @Test func `a command whose actions all succeed is done, and has what was given with it`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            let thing = try await home.ownLamp()
            let id = try await home.give([["brightness": 0.4], ["on": true]]).get()
            let command = try await home.command(id)
            #expect(command["commandState"] == "DONE" && command["target"] == "thing:\(thing)")
            #expect(command["issuer"] == "user:\(home.owner)" && command["schema"] == "lamp")
            #expect(command["actions"] == [["brightness": 0.4], ["on": true]])
            #expect(command["schemaVersion"] == 1)
        }
    }

    @Test func `a command over MQTT and one over HTTP leave the same row`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            _ = try await home.give([["brightness": 0.4]]).get()
            try await home.publish(.thingCommand, #"{"actions":[{"brightness":0.4}]}"#)
            let rows = try home.rows()
            #expect(rows.map(\.kind) == ["command", "command"] && rows.map(\.state) == ["DONE", "DONE"])
            #expect(rows.map(\.interface) == ["thing-if", "mqtt"])
            let (first, second) = (try #require(rows.first), try #require(rows.last))
            #expect(first.id != nil && second.id != nil && first.id != second.id)
            #expect(first.actions == second.actions && first.results == second.results)
            #expect(first.target == second.target && first.slug == second.slug)
            #expect(first.caller == "user:owner" && second.caller == "user:owner")
        }
    }

    @Test func `a command over MQTT is answered at its end, with what became of it`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            home.place.server.withLock { $0.isBusy = true }
            try await home.publish(.thingCommand, #"{"actions":[{"brightness":0.4}]}"#)
            #expect(home.place.answers.withLock { $0 }.isEmpty)
            #expect(try home.rows().map(\.state) == ["SENDING"])
            let request = try #require(home.place.asked.withLock { $0 }.last)
            home.place.node.receive(.replied(request, .success(.done)))
            await home.place.settle()
            let answers = home.place.answers.withLock { $0 }
            let answer = try #require(answers.first)
            #expect(answers.count == 1 && answer.tx == 1 && answer.subject == .verb("command"))
            #expect(answer.refusal == nil && answer.target?.slug == "v-1")
            #expect(answer.data?["state"] == "DONE")
            #expect(answer.data?["actionResults"] == [["brightness": ["succeeded": true]]])
        }
    }

    @Test func `a set on MQTT is in the list of commands`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            try await home.publish(.thingSet, #"{"brightness":0.4}"#)
            let set = "log.\(try #require(try home.rows().last).seq)"
            let id = try await home.give([["on": true]]).get()
            let target = TargetName.vendor("v-1")
            let list =
                try await home.service.commands(of: target, limit: 200, after: nil, for: home.asOwner)
                .get()["commands"]?.array ?? []
            #expect(list.map { $0["commandID"] } == [.string(id), .string(set)])
            let plain = try #require(list.last)
            #expect(plain["actions"] == [["brightness": 0.4]] && plain["commandState"] == "DONE")
            #expect(plain["issuer"] == "user:owner" && plain["schema"] == "")
            #expect(try await home.command(set) == plain.object)
        }
    }

    @Test func `what a rule gave or set names its trigger, and what others gave names none`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            let command = #"{"actions":[{"brightness":0.4}]}"#
            try await home.publish(.thingCommand, command, from: "rule:12")
            try await home.publish(.thingSet, #"{"brightness":0.5}"#, from: "rule:12")
            try await home.publish(.thingCommand, command)
            let target = TargetName.vendor("v-1")
            let list =
                try await home.service.commands(of: target, limit: 200, after: nil, for: home.asOwner)
                .get()["commands"]?.array ?? []
            let fired = list.filter { $0["firedByTriggerID"] == "12" }
            #expect(list.count == 3 && fired.count == 2)
            #expect(list.filter { $0["firedByTriggerID"] == nil }.count == 1)
            for listed in list {
                let id = try #require(listed["commandID"]?.string)
                #expect(try await home.command(id) == listed.object)
            }
        }
    }

    @Test func `a command that cannot be stored is carried out, and can be asked for`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            home.place.keeper.withLock { $0.remember = { _ in } }
            let id = try await home.give([["brightness": 0.4]]).get()
            #expect(try home.rows().isEmpty)
            let command = try await home.command(id)
            #expect(command["commandState"] == "DONE" && command["commandID"] == .string(id))
            #expect(command["actionResults"] == [["brightness": ["succeeded": true]]])
            let other = await home.service.command(id, of: .vendor("v-1"), for: .user(.user(home.carol)))
            #expect(other.code == "not_allowed")
        }
    }

    @Test(arguments: [Double.infinity, 1e300, -1e300, .greatestFiniteMagnitude])
    func `a damaged row of the log is listed all the same`(took: Double) async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            var entry = CommandLogEntry(
                at: .max,
                interface: "mqtt",
                caller: "user:owner",
                kind: "set",
                state: "accepted"
            )
            (entry.target, entry.took) = ("\(TestPlace.lamp.id)", took)
            (entry.actions, entry.results) = ("[", #"{"rejected":7}"#)
            home.accounts.log(entry)
            let id = "log.\(try #require(try home.rows().last).seq)"
            #expect(try await home.command(id)["modifiedAt"] == JSONValue(Int.max))
        }
    }

    @Test func `a right that ends during a command refuses the rest of it`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            home.place.server.withLock { $0.isBusy = true }
            let bob = BindingCaller.user(.user(home.bob))
            let id = try await home.give([["brightness": 0.4], ["on": true]], by: bob, issuer: "user:bob")
                .get()
            try home.accounts.change { store in
                for grant in home.accounts.table.grants where grant.grantee != .user(home.owner) {
                    try store.removeGrant(grant.id, by: .program(at: 1))
                }
            }
            let request = try #require(home.place.asked.withLock { $0 }.last)
            home.place.node.receive(.replied(request, .success(.done)))
            await home.place.settle()
            #expect(try await home.state(id) == "INCOMPLETE")
            #expect(try await home.failures(id) == [nil, "unknown_thing"])
            #expect(home.place.asked.withLock { $0 }.count == 1)
        }
    }

    @Test func `a command without an answer ends at its deadline, and a late result still counts`()
        async throws
    {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            home.place.server.withLock { $0.isBusy = true }
            let id = try await home.give([["brightness": 0.4]]).get()
            #expect(try await home.state(id) == "SENDING")
            await home.passDeadline(of: id)
            #expect(try await home.failures(id) == ["timeout"])
            let request = try #require(home.place.asked.withLock { $0 }.last)
            home.place.node.receive(.replied(request, .success(.done)))
            await home.place.settle()
            #expect(try await home.state(id) == "DONE")
        }
    }

    // MARK: What is refused before there is a row

    @Test func `a thing takes no command before its first owner, whoever asks`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.onboardThing().get()
            for user in [home.owner, home.carol] {
                let code = try await home.give([["on": true]], by: .user(.user(user))).code
                #expect(code == "not_onboarded")
            }
            try await home.publish(.thingCommand, #"{"actions":[{"on":true}]}"#)
            #expect(home.place.answers.withLock { $0 }.map(\.refusal?.code) == [.notOnboarded])
        }
    }

    @Test func `who may not write gives no command`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            try home.accounts.change { store in
                for grant in home.accounts.table.grants where grant.grantee == .group(.everybody) {
                    try store.removeGrant(grant.id, by: .program(at: 1))
                }
                let read = Grant(id: 0, .group(home.staff), .read, .zone(TestPlace.kitchen))
                _ = try store.addGrant(read, by: .program(at: 1))
            }
            let carol = BindingCaller.user(.user(home.carol))
            #expect(
                try await home.give([["on": true]], by: carol, issuer: "user:carol").code == "not_allowed"
            )
            let off = BindingCaller.user(.user(home.bob, ceiling: .read))
            #expect(try await home.give([["on": true]], by: off, issuer: "user:bob").code == "not_allowed")
            for caller in [BindingCaller.app, .anonymous, .thing(BindingID(high: 9, low: 9))] {
                #expect(try await home.give([["on": true]], by: caller).code == "not_allowed")
            }
            try home.accounts.change { store in
                for grant in home.accounts.table.grants where grant.grantee == .group(home.staff) {
                    try store.removeGrant(grant.id, by: .program(at: 1))
                }
            }
            #expect(
                try await home.give([["on": true]], by: carol, issuer: "user:carol").code == "not_allowed"
            )
            #expect(try home.rows().isEmpty)
        }
    }

    @Test func `the issuer is the caller, or a group of the caller that may write`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            let carol = BindingCaller.user(.user(home.carol))
            let staff = "group:staff"
            func grantWrite(_ grantee: Grantee) throws {
                try home.accounts.change { store in
                    let write = Grant(id: 0, grantee, .write, .thing(TestPlace.lamp.id))
                    _ = try store.addGrant(write, by: .program(at: 1))
                }
            }
            try grantWrite(.user(home.carol))
            #expect(
                try await home.give([["on": true]], by: carol, issuer: "user:owner").code == "not_allowed"
            )
            #expect(
                try await home.give([["on": true]], by: carol, issuer: "user:dave").code == "invalid_value"
            )
            #expect(try await home.give([["on": true]], by: carol, issuer: staff).code == "not_allowed")
            try grantWrite(.group(home.staff))
            let id = try await home.give([["on": true]], by: carol, issuer: staff).get()
            #expect(try await home.command(id)["issuer"] == "group:\(home.staff)")
            #expect(try await home.give([["on": true]], issuer: staff).code == "not_allowed")
        }
    }

    @Test func `a hundred commands of a thing may be open`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            home.place.server.withLock { $0.isBusy = true }
            var first = ""
            for number in 0..<100 {
                let id = try await home.give([["lighter": true]]).get()
                if number == 0 { first = id }
            }
            #expect(try await home.give([["lighter": true]]).code == "rate_limited")
            await home.passDeadline(of: first)
            #expect(try await home.give([["lighter": true]]).code == nil)
        }
    }

    @Test func `a token in a command is not stored`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            let token = "tlt_" + String(repeating: "a", count: 43)
            #expect(try await home.give([["name": .string(token)]]).code == "invalid_value")
            #expect(try home.rows().isEmpty)
        }
    }

    // MARK: Lists

    @Test func `a list goes on where it ended, and its key is that of its thing`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            _ = try await home.ownLamp()
            var given: [String] = []
            for _ in 0..<5 { given.append(try await home.give([["on": true]]).get()) }
            var (ids, key): ([String], String?) = ([], nil)
            repeat {
                let page = try await home.service.commands(
                    of: .vendor("v-1"),
                    limit: 2,
                    after: key,
                    for: home.asOwner
                ).get()
                ids += page["commands"]?.array?.compactMap { $0["commandID"]?.string } ?? []
                key = page["nextPaginationKey"]?.string
                if let key {
                    _ = try await home.onboardOwner(
                        home.owner,
                        "v-2",
                        with: ["thingProperties": ["zone": "Kitchen"]]
                    )
                    let other = await home.service.commands(
                        of: .vendor("v-2"),
                        limit: 2,
                        after: key,
                        for: home.asOwner
                    )
                    #expect(other.code == "invalid_value")
                }
            } while key != nil
            #expect(ids == given.reversed())
            let target = TargetName.vendor("v-1")
            let broken = await home.service.commands(of: target, limit: 2, after: "x", for: home.asOwner)
            #expect(broken.code == "invalid_value")
            #expect(
                await home.service.command("c.0", of: target, for: home.asOwner).code == "unknown_command"
            )
        }
    }

    // MARK: The verb

    @Test func `a command of this machine needs no rights, and is issued by the owner of an instance`()
        async throws
    {
        try await withBindings(server: .withLamp) { home, _ in
            let members: JSONObject = [
                "vendorThingID": "v-1", "thingPassword": "secret", "owner": "owner", "tag": "panel",
            ]
            _ = await home.ask("POST", "/api/bindings/onboard", .object(members))
            await home.place.settle()
            let body: JSONObject = ["actions": [["brightness": 0.4]]]
            for (tag, issuer) in [(nil, "user:none"), ("panel", "user:\(home.owner)")] as [(String?, String)]
            {
                var body = body
                body["tag"] = tag.map { .string($0) }
                let given = await home.ask("POST", "/api/bindings/v-1/commands", .object(body))
                let id = try #require(given.body["commandID"]?.string)
                let command = await home.ask("GET", "/api/bindings/v-1/commands/\(id)").body
                #expect(given.status == 201 && command["commandState"] == "DONE")
                #expect(command["issuer"] == .string(issuer))
            }
            let other = body.merging(["tag": "other"]) { $1 }
            #expect(await home.ask("POST", "/api/bindings/v-1/commands", .object(other)).status == 404)
            #expect(await home.ask("POST", "/api/bindings/v-1/commands", ["actions": []]).status == 400)
            #expect(await home.ask("GET", "/api/bindings/v-1/commands/c.0").status == 404)
        }
    }

    // MARK: Notices

    @Test func `the former owner of a push token hears no more`() async throws {
        try await withBindings(server: .withLamp) { home, _ in
            let id = try await home.ownLamp()
            let wanted = try Installation.Request([
                "installationRegistrationID": "push", "deviceType": "ANDROID",
            ])
            _ = try await home.service.install(wanted, by: .user(.user(home.bob))).get()
            let sent = Locked<[(JSONObject, Bool)]>([])
            let notices = CommandNotices(home.accounts) { notice, isDevelopment in
                sent.withLock { $0.append((notice, isDevelopment)) }
            }
            func command(of issuer: Grantee) -> ThingCommand {
                ThingCommand(
                    "c.1",
                    of: id,
                    CommandRequest([CommandAction("on", true)]),
                    issuer: issuer,
                    created: 1,
                    deadline: 2
                )
            }
            try notices.send(command(of: .user(home.bob)))
            #expect(sent.withLock { $0.map { $0.0["to"] } } == ["push"])
            _ = try await home.service.install(wanted, by: .user(.user(home.carol))).get()
            try notices.send(command(of: .user(home.bob)))
            #expect(sent.withLock { $0 }.count == 1)
            // Carol is in the group.
            try notices.send(command(of: .group(home.staff)))
            let last = try #require(sent.withLock { $0 }.last)
            #expect(last.0["commandID"] == "c.1" && last.0["kind"] == "command" && !last.1)
        }
    }
}
