import Accounts
import Bindings
import Daemon
import Foundation
import JSON
import People
import Testing
import Threading
import Web

/// Onboarding over a real database.
@Suite(.timeLimit(.minutes(2)))
struct BindingOnboardingTests {
    /// What is kept, without identifiers and times.
    private func summary(_ home: TestBindings) throws -> [String] {
        let stored = try #require(try home.binding())
        let binding = stored.binding
        return [
            binding.type ?? "", "\(binding.properties)", binding.interval?.rawValue ?? "",
            "\(binding.isOwned)", binding.fixed.map(\.rawValue).sorted().joined(separator: " "),
            "\(stored.owners)",
        ]
    }

    @Test func `the order of thing and owner decides nothing but who gets the token`() async throws {
        let properties: JSONObject = ["zone": "Kitchen"]
        var summaries: [[String]] = []
        for isThingFirst in [true, false] {
            try await withBindings { home, _ in
                let others: JSONObject = ["thingType": "meter", "thingProperties": .object(properties)]
                var answers: [OnboardingAnswer] = []
                for isThing in isThingFirst ? [true, false] : [false, true] {
                    answers.append(
                        isThing
                            ? try await home.onboardThing(with: others).get()
                            : try await home.onboardOwner(home.bob, with: others).get()
                    )
                }
                #expect(answers[0].thing == answers[1].thing)
                #expect(answers[0].token?.hasPrefix("tlt_") == true)
                #expect((answers[1].token != nil) == !isThingFirst)
                #expect(answers[1].isOwned)
                #expect(home.accounts.thing(bringing: answers[0].token ?? "") == answers[0].thing)
                summaries.append(try summary(home))
            }
        }
        #expect(summaries[0] == summaries[1])
        #expect(summaries[0].first == "meter")
    }

    @Test func `a later type is ignored and named`() async throws {
        try await withBindings { home, _ in
            _ = try await home.onboardThing(with: ["thingType": "meter"]).get()
            let others: JSONObject = ["thingType": "other", "dataGroupingInterval": "1_HOUR"]
            let answer = try await home.onboardOwner(home.bob, with: others).get()
            #expect(answer.ignored == ["thingType"])
            #expect(try home.binding()?.binding.interval == .hour)
        }
    }

    @Test func `the second of two onboardings at once needs the password of the first`() async throws {
        try await withBindings { home, _ in
            async let first = home.onboardThing("v-1", "one password")
            async let second = home.onboardThing("v-1", "another password")
            let codes = try await [first.code, second.code].compactMap(\.self)
            #expect(codes == ["not_allowed"])
            #expect(try home.store.accounts.bindings().count == 1)
        }
    }

    @Test func `two onboardings at once with one password are of one thing`() async throws {
        try await withBindings { home, _ in
            async let first = home.onboardThing()
            async let second = home.onboardOwner(home.bob)
            let things = try await [first.get().thing, second.get().thing]
            #expect(things[0] == things[1])
            #expect(try home.binding()?.binding.isOwned == true)
        }
    }

    @Test func `an unknown thingID is not found, whatever the password`() async throws {
        try await withBindings { home, _ in
            let members: JSONObject = [
                "thingID": .string("\(BindingID(high: 1, low: 1))"), "thingPassword": "x",
            ]
            #expect(try await home.onboard(.thingByThing, members, by: .app).code == "unknown_thing")
            let thing = try await home.onboardThing().get().thing
            let known: JSONObject = [
                "thingID": .string("\(thing)"), "thingPassword": .string(TestBindings.password),
            ]
            #expect(try await home.onboard(.thingByThing, known, by: .anonymous).get().thing == thing)
        }
    }

    @Test func `nobody keeps what was refused`() async throws {
        try await withBindings { home, _ in
            let result = try await home.onboardOwner(home.bob, owner: "user:nobody-here")
            #expect(result.code == "invalid_value")
            #expect(try await home.onboardOwner(home.bob, owner: "user:carol").code == "not_allowed")
            #expect(try home.store.accounts.bindings().isEmpty)
            #expect(home.service.directory.count == 0)
        }
    }

    // MARK: Passwords

    @Test func `a wrong password is refused, and the sixth guess of an address waits`() async throws {
        try await withBindings { home, _ in
            _ = try await home.onboardThing().get()
            for _ in 0..<5 {
                #expect(try await home.onboardOwner(home.bob, "v-1", "wrong").code == "not_allowed")
            }
            #expect(try await home.onboardOwner(home.bob).code == "rate_limited")
            // Another address is not locked out.
            let members: JSONObject = [
                "vendorThingID": "v-1", "thingPassword": .string(TestBindings.password), "owner": "user:bob",
            ]
            let caller = BindingCaller.user(.user(home.bob))
            let other = try await home.onboard(.vendorByOwner, members, by: caller, from: "192.0.2.9")
            #expect(other.code == nil)
        }
    }

    @Test func `many things come at once from one address, and a user signs in meanwhile`() async throws {
        try await withBindings { home, _ in
            try home.setPassword("bobs long password", ofUser: "bob")
            let vendors = (0..<25).map { "v-\($0)" }
            for vendor in vendors { _ = try await home.onboardThing(vendor).get() }
            let codes = try await withThrowingTaskGroup(of: String?.self) { group in
                for vendor in vendors { group.addTask { try await home.onboardThing(vendor).code } }
                group.addTask {
                    await home.token(from: "192.0.2.1", .user(name: "bob", password: "bobs long password"))
                        .code
                }
                return try await group.reduce(into: []) { codes, code in codes.append(code) }
            }
            #expect(codes.compactMap(\.self) == [])
        }
    }

    @Test func `things with wrong passwords keep no user of their address from signing in`() async throws {
        try await withBindings { home, _ in
            try home.setPassword("bobs long password", ofUser: "bob")
            for vendor in ["v-1", "v-2", "v-3", "v-4", "v-5"] {
                _ = try await home.onboardThing(vendor).get()
                for _ in 0..<4 {
                    #expect(try await home.onboardThing(vendor, "wrong").code == "not_allowed")
                }
            }
            #expect(try await home.onboardThing("v-1").code == "rate_limited")
            let bob = TokenRequest.user(name: "bob", password: "bobs long password")
            #expect(await home.token(from: "192.0.2.1", bob).code == nil)
        }
    }

    @Test func `twenty wrong passwords of a thing in an hour raise an alert, which ends`() async throws {
        try await withBindings { home, _ in
            _ = try await home.onboardThing().get()
            for number in 0..<20 {
                let members: JSONObject = ["vendorThingID": "v-1", "thingPassword": "wrong"]
                let address = "192.0.2.\(number)"
                #expect(
                    try await home.onboard(.vendorByThing, members, by: .app, from: address).code
                        == "not_allowed"
                )
                #expect(home.reports.withLock { $0.count } == (number < 19 ? 0 : 1))
            }
            #expect(home.reports.withLock { $0.last??.contains("v-1") } == true)
            home.now.withLock { $0 += 3_600_001 }
            await home.service.forgetGuesses()
            #expect(home.reports.withLock { $0.last } == .some(nil))
        }
    }

    @Test func `no file of the state folder has a password or a token of a thing`() async throws {
        try await withBindings { home, folder in
            let token = try #require(try await home.onboardThing().get().token)
            _ = try await home.onboardOwner(home.bob, with: ["thingProperties": ["zone": "Kitchen"]]).get()
            _ = try await home.onboardOwner(home.bob, "v-1", "guessed-password-of-v1")
            let kinds = try home.log().map(\.kind)
            #expect(kinds.contains("thing onboard"))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.contains("trilateral.db"))
            for name in names {
                let data = try Data(contentsOf: folder.appending(path: name))
                for secret in [token, TestBindings.password, "guessed-password-of-v1", TestBindings.key] {
                    #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
                }
            }
        }
    }

    @Test func `a row of the log has names of members, and no values`() async throws {
        try await withBindings { home, _ in
            let others: JSONObject = ["thingProperties": ["serial": "very private"]]
            _ = try await home.onboardThing(with: others).get()
            let row = try #require(try home.log().last)
            #expect(row.kind == "thing onboard" && row.slug == "v-1")
            #expect(row.caller == "app:\(TestBindings.app)")
            #expect(row.actions == #"["vendorThingID","thingPassword","thingProperties"]"#)
        }
    }

    // MARK: Restart

    @Test func `a restart changes no answer`() async throws {
        try await withBindings { home, folder in
            let first = try await home.onboardThing(with: ["thingType": "meter"]).get()
            home.store.close()
            let again = try await TestBindings(in: folder, server: home.place.server.withLock { $0 })
            defer { again.store.close() }
            #expect(again.accounts.thing(bringing: first.token ?? "") == first.thing)
            #expect(try await again.onboardOwner(again.bob, "v-1", "wrong").code == "not_allowed")
            let answer = try await again.onboardOwner(again.bob, with: ["thingType": "other"]).get()
            #expect(answer.thing == first.thing && answer.ignored == ["thingType"] && answer.token == nil)
        }
    }
}
