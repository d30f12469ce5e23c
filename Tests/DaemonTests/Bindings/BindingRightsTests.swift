import Accounts
import Bindings
import Daemon
import JSON
import People
import Testing
import Threading
import Web

/// Who may onboard what, and how callers are recognised.
@Suite(.timeLimit(.minutes(2)))
struct BindingRightsTests {
    @Test func `who knows the password of an owned thing becomes an owner, and makes nobody else one`()
        async throws
    {
        try await withBindings { home, _ in
            _ = try await home.onboardOwner(home.bob, with: ["thingProperties": ["zone": "Kitchen"]]).get()
            #expect(try await home.onboardOwner(home.carol, owner: "user:owner").code == "not_allowed")
            #expect(try await home.onboardOwner(home.carol).code == nil)
            let entry = try #require(home.service.directory.entry(ofVendor: "v-1"))
            let access = await home.service.access(entry)
            let verdict = home.accounts.table.verdict(
                of: .user(.user(home.carol)),
                .own,
                on: access,
                at: home.now.withLock { $0 }
            )
            #expect(verdict.isGranted)
        }
    }

    @Test func `an owner gives the thing to another user, and to a group`() async throws {
        try await withBindings { home, _ in
            _ = try await home.onboardOwner(home.bob).get()
            #expect(try await home.onboardOwner(home.bob, owner: "user:carol").code == nil)
            #expect(try await home.onboardOwner(home.bob, owner: "group:staff").code == nil)
            let owners = try #require(try home.binding()).owners
            #expect(Set(owners) == [.user(home.bob), .user(home.carol), .group(home.staff)])
        }
    }

    @Test func `a group becomes an owner by its members, and by who owns everything`() async throws {
        try await withBindings { (home, _) async throws in
            #expect(try await home.onboardOwner(home.bob, owner: "group:staff").code == "not_allowed")
            try home.letWrite(home.carol)
            #expect(try await home.onboardOwner(home.carol, owner: "group:staff").code == nil)
            #expect(try await home.onboardOwner(home.owner, "v-2", owner: "group:staff").code == nil)
        }
    }

    @Test func `a token that allows less than own makes no owner`() async throws {
        try await withBindings { (home, _) async throws in
            for ceiling in [Access.read, .write] {
                #expect(try await home.onboardOwner(home.bob, ceiling: ceiling).code == "not_allowed")
            }
            #expect(try await home.onboardOwner(home.bob, ceiling: .own).code == nil)
        }
    }

    @Test func `things and users onboard in their own forms`() async throws {
        try await withBindings { (home, _) async throws in
            let members: JSONObject = ["vendorThingID": "v-1", "thingPassword": "x"]
            let user = BindingCaller.user(.user(home.bob))
            #expect(try await home.onboard(.vendorByThing, members, by: user).code == "not_allowed")
            let owned = members.merging(["owner": "user:bob"]) { $1 }
            for caller in [BindingCaller.app, .anonymous] {
                #expect(try await home.onboard(.vendorByOwner, owned, by: caller).code == "unauthenticated")
            }
            let thing = BindingCaller.thing(BindingID(high: 1, low: 1))
            #expect(try await home.onboard(.vendorByThing, members, by: thing).code == "not_allowed")
        }
    }

    @Test func `an end node is added by who owns its gateway`() async throws {
        try await withBindings { home, _ in
            let gateway = try await home.onboardOwner(home.bob, "gateway").get().thing
            func add(_ user: AccountID) async throws -> Result<OnboardingAnswer, BindingsError> {
                let members: JSONObject = [
                    "gatewayThingID": .string("\(gateway)"), "endNodeVendorThingID": "node",
                    "endNodePassword": "x", "owner": .string("user:\(user)"),
                ]
                return try await home.onboard(.endNode, members, by: .user(.user(user)))
            }
            #expect(try await add(home.carol).code == "not_allowed")
            let node = try await add(home.bob).get().thing
            #expect(try home.binding("node")?.binding.gateway == gateway)
            #expect(try home.binding("gateway")?.binding.layout == .gateway)
            #expect(home.service.directory.nodes(of: gateway) == [node])
        }
    }

    @Test func `who owns a gateway puts nobody else's thing behind it, and its owner gets it out again`()
        async throws
    {
        try await withBindings { (home, _) async throws in
            let gateway = try await home.onboardOwner(home.bob, "gateway").get().thing
            _ = try await home.onboardOwner(home.owner).get()
            let members: JSONObject = [
                "gatewayThingID": .string("\(gateway)"), "endNodeVendorThingID": "v-1",
                "endNodePassword": .string(TestBindings.password), "owner": .string("user:\(home.bob)"),
            ]
            let bob = BindingCaller.user(.user(home.bob))
            #expect(try await home.onboard(.endNode, members, by: bob).code == "not_allowed")
            let kept = try #require(try home.binding())
            #expect(kept.binding.gateway == nil && kept.owners == [.user(home.owner)])
            #expect(try home.binding("gateway")?.binding.layout == nil)
            // An owner may.
            #expect(try await home.onboardOwner(home.bob).code == nil)
            #expect(try await home.onboard(.endNode, members, by: bob).code == nil)
            #expect(try home.binding()?.binding.gateway == gateway)
            let alone: JSONObject = ["layoutPosition": "STANDALONE"]
            #expect(try await home.onboardOwner(home.owner, with: alone).code == nil)
            #expect(try home.binding()?.binding.gateway == nil)
        }
    }

    // MARK: Recognising callers

    private func caller(
        _ home: TestBindings,
        _ credentials: ThingIFCredentials,
        app: String = TestBindings.app
    ) async -> Result<BindingCaller, BindingsError> {
        await home.service.caller(bringing: credentials, to: app, from: nil)
    }

    @Test func `an unknown app is not found, before anything is said about the caller`() async throws {
        try await withBindings { home, _ in
            let key = ThingIFCredentials.app(id: TestBindings.app, key: TestBindings.key)
            for credentials in [ThingIFCredentials.none, key, .bearer("x")] {
                #expect(await caller(home, credentials, app: "other").code == "unknown_thing")
            }
            #expect(await caller(home, key) == .success(.app))
        }
    }

    @Test(arguments: ["", "a key", "a key of the app ", "A key of the app"])
    func `a wrong key is refused`(key: String) async throws {
        try await withBindings { home, _ in
            #expect(await caller(home, .app(id: TestBindings.app, key: key)).code == "not_allowed")
            #expect(await caller(home, .app(id: "other", key: TestBindings.key)).code == "not_allowed")
            let request = TokenRequest.app(id: TestBindings.app, key: key)
            let token = await home.service.token(
                for: request,
                bringing: .none,
                to: TestBindings.app,
                from: nil
            )
            #expect(token.code == "not_allowed")
        }
    }

    @Test func `the sixth wrong key of an address waits, but neither the right one nor a user`()
        async throws
    {
        try await withBindings { home, _ in
            try home.setPassword("bobs long password", ofUser: "bob")
            let wrong = ThingIFCredentials.app(id: TestBindings.app, key: "a wrong key")
            let right = ThingIFCredentials.app(id: TestBindings.app, key: TestBindings.key)
            func code(_ credentials: ThingIFCredentials, from address: String) async -> String? {
                await home.service.caller(bringing: credentials, to: TestBindings.app, from: address).code
            }
            for _ in 0..<4 { #expect(await code(wrong, from: "192.0.2.1") == "not_allowed") }
            #expect(
                await home.token(from: "192.0.2.1", .app(id: TestBindings.app, key: "x")).code
                    == "not_allowed"
            )
            for _ in 0..<3 {
                #expect(await code(wrong, from: "192.0.2.1") == "rate_limited")
                #expect(await code(right, from: "192.0.2.1") == nil)
            }
            #expect(
                await home.token(from: "192.0.2.1", .app(id: TestBindings.app, key: TestBindings.key)).code
                    == nil
            )
            let bob = TokenRequest.user(name: "bob", password: "bobs long password")
            #expect(await home.token(from: "192.0.2.1", bob).code == nil)
        }
    }

    @Test func `a token says whose it is, and an unknown one is nobody's`() async throws {
        try await withBindings { home, _ in
            let thing = try await home.onboardThing().get()
            let own = try #require(thing.token)
            #expect(await caller(home, .bearer(own)) == .success(.thing(thing.thing)))
            let (token, _) = try home.accounts.change { store in
                try store.addToken(
                    "cli",
                    ofUser: "bob",
                    ceiling: .write,
                    until: nil,
                    by: .program(at: home.now.withLock { $0 })
                )
            }
            #expect(
                await caller(home, .bearer(token.text)) == .success(.user(.user(home.bob, ceiling: .write)))
            )
            #expect(await caller(home, .none).code == "unauthenticated")
            for text in ["", "tlt_x", "tlu_", SecretToken(.token).text, SecretToken(.thing).text] {
                #expect(await caller(home, .bearer(text)).code == "unauthenticated")
            }
        }
    }

    @Test func `a token for nobody counts for an hour`() async throws {
        try await withBindings { home, _ in
            let request = TokenRequest.app(id: TestBindings.app, key: TestBindings.key)
            let issued = try await home.service.token(
                for: request,
                bringing: .none,
                to: TestBindings.app,
                from: nil
            ).get()
            #expect(issued.id == TestBindings.app && issued.seconds == 3600)
            #expect(await caller(home, .bearer(issued.text)) == .success(.anonymous))
            home.now.withLock { $0 += 3_600_000 }
            #expect(await caller(home, .bearer(issued.text)).code == "unauthenticated")
        }
    }

    @Test func `a user's name and password get a token, and the eleventh ends the first`() async throws {
        try await withBindings { home, _ in
            try home.setPassword("bobs long password", ofUser: "bob")
            func token(_ password: String) async -> Result<IssuedToken, BindingsError> {
                await home.service.token(
                    for: .user(name: "bob", password: password),
                    bringing: .app(id: TestBindings.app, key: TestBindings.key),
                    to: TestBindings.app,
                    from: "192.0.2.1"
                )
            }
            #expect(await token("not the password").code == "not_allowed")
            var texts: [String] = []
            for _ in 0..<11 {
                home.now.withLock { $0 += 1000 }
                texts.append(try await token("bobs long password").get().text)
            }
            #expect(await caller(home, .bearer(texts[0])).code == "unauthenticated")
            let listed = try home.store.accounts.secrets(.token, ofUser: "bob", at: home.now.withLock { $0 })
            #expect(listed.count == 10 && listed.allSatisfy { $0.name.hasPrefix("thing-if") })
            #expect(listed.allSatisfy { $0.until == $0.made + 365 * 86_400_000 })
            for text in texts.dropFirst() {
                #expect(await caller(home, .bearer(text)) == .success(.user(.user(home.bob))))
            }
        }
    }

    // MARK: Installations

    @Test func `an installation moves with its push token, and others do not see it`() async throws {
        try await withBindings { home, _ in
            let request = Installation.Request(token: "push", device: .android, isDevelopment: false)
            let bob = BindingCaller.user(.user(home.bob))
            let carol = BindingCaller.user(.user(home.carol))
            let first = try await home.service.install(request, by: bob).get()
            #expect(await home.service.installation(first.id, of: carol).code == "unknown_thing")
            let second = try await home.service.install(request, by: carol).get()
            #expect(second.id == first.id && second.owner == home.carol)
            #expect(await home.service.uninstall(first.id, of: bob).code == "unknown_thing")
            #expect(await home.service.uninstall(first.id, of: carol).code == nil)
            #expect(await home.service.install(request, by: .app).code == "not_allowed")
        }
    }

    @Test func `a token that may only read changes no installation`() async throws {
        try await withBindings { home, _ in
            let request = Installation.Request(token: "push", device: .android, isDevelopment: false)
            let reader = BindingCaller.user(.user(home.bob, ceiling: .read))
            let writer = BindingCaller.user(.user(home.bob, ceiling: .write))
            #expect(await home.service.install(request, by: reader).code == "not_allowed")
            let made = try await home.service.install(request, by: writer).get()
            #expect(await home.service.uninstall(made.id, of: reader).code == "not_allowed")
            #expect(try await home.service.installation(made.id, of: reader).get().id == made.id)
            #expect(await home.service.uninstall(made.id, of: writer).code == nil)
        }
    }
}
