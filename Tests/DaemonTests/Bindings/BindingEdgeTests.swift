import Accounts
import Bindings
import Bridge
import Controller
import Daemon
import JSON
import Messages
import People
import TestSupport
import Testing
import Threading

/// Things that speak on the broker: who may speak for whom, and what comes of it.
@Suite(.timeLimit(.minutes(2)))
struct BindingEdgeTests {
    private func request(
        _ password: String = TestBindings.password,
        from vendor: String = "v-1"
    ) throws -> OnboardingRequest {
        try OnboardingRequest(edge: ["password": .string(password)], from: vendor)
    }

    private func pending(_ home: TestBindings) async -> [String?] {
        let answer = await home.ask("GET", "/api/bindings", query: ["filter": "pending"])
        return (answer.body["bindings"]?.array ?? []).map { $0["vendor"]?.string }
    }

    /// Makes the end node w of the gateway g; bob owns both.
    private func addNode(_ home: TestBindings) async throws {
        let gateway = try await home.onboardOwner(home.bob, "g").get()
        let members: JSONObject = [
            "gatewayThingID": .string("\(gateway.thing)"), "endNodeVendorThingID": "w",
            "endNodePassword": .string(TestBindings.password), "owner": .string("user:\(home.bob)"),
        ]
        _ = try await home.onboard(.endNode, members, by: .user(.user(home.bob))).get()
    }

    @Test func `a thing onboards itself at its own topic, and gets a token each time`() async throws {
        try await withBindings { home, _ in
            let ports = EdgePorts(home.service)
            let first = try await ports.onboard(EdgeAddress("v-1"), request()).get()
            let second = try await ports.onboard(EdgeAddress("v-1"), request()).get()
            #expect(first.thing == second.thing && first.token != nil && second.token != nil)
            #expect(!first.isOwned && first.token != second.token)
            #expect(try home.binding()?.binding.route == .edge)
            let wrong = await ports.onboard(EdgeAddress("v-1"), try request("another"))
            #expect(wrong.code == "not_allowed")
            let rows = try home.log().filter { $0.kind == "thing onboard" && $0.state == "accepted" }
            #expect(rows.count == 2)
            #expect(
                rows.allSatisfy {
                    $0.interface == "mqtt" && $0.source == "edge/v-1" && $0.caller == "thing:v-1"
                }
            )
        }
    }

    @Test func `a thing that was forgotten and claimed again notices with its next state`() async throws {
        try await withBindings { home, _ in
            let ports = EdgePorts(home.service)
            let address = EdgeAddress("v-1")
            let upload = try StateUpload(message: Array(#"{"t":1}"#.utf8), at: 0)
            _ = try await ports.onboard(address, request()).get()
            for onboardsItself in [false, true] {
                #expect(await ports.state(address, upload, false) == nil)
                #expect(await home.ask("DELETE", "/api/bindings/v-1").status == 204)
                _ = try await home.onboardOwner(home.owner).get()
                #expect(await ports.state(address, upload, true) == nil)
                if onboardsItself {
                    _ = try await ports.onboard(address, request()).get()
                } else {
                    #expect(await ports.state(address, upload, false)?.code == "not_onboarded")
                }
                // Who does not onboard itself has missed one.
                #expect(await ports.state(address, upload, false) == nil)
            }
        }
    }

    @Test func `whether a thing may report one more state is known before that is read`() async throws {
        try await withBindings { home, _ in
            let ports = EdgePorts(home.service)
            let address = EdgeAddress("v-1")
            let upload = try StateUpload(message: Array(#"{"t":1}"#.utf8), at: 0)
            let topic = EdgeTopic(address, .state)
            #expect(ports.refusal(topic) == nil)
            _ = try await ports.onboard(address, request()).get()
            for _ in 0..<50 {
                #expect(ports.refusal(topic) == nil)
                #expect(await ports.state(address, upload, false) == nil)
            }
            // Asking counts nothing.
            for _ in 0..<2 { #expect(ports.refusal(topic)?.code == "rate_limited") }
            #expect(await ports.state(address, upload, false)?.code == "rate_limited")
            home.now.withLock { $0 += 1000 }
            #expect(ports.refusal(topic) == nil)
            #expect(ports.refusal(EdgeTopic(address, .status)) == nil)
        }
    }

    @Test func `a thing that was never onboarded reports nothing, also if it is expected`() async throws {
        try await withBindings { home, _ in
            let ports = EdgePorts(home.service)
            _ = await home.ask("POST", "/api/bindings/expect", ["vendorThingID": "v-2"])
            for vendor in ["v-1", "v-2"] {
                let upload = try StateUpload(message: Array(#"{"t":1}"#.utf8), at: 0)
                let address = EdgeAddress(vendor)
                #expect(await ports.state(address, upload, false)?.code == "not_onboarded")
                let report = try CommandReport(["commandID": "c", "actionResults": [["on": [:]]]])
                #expect(await ports.result(address, report)?.code == "not_onboarded")
                #expect(await ports.nodes(address, [EdgeNode("w")])?.code == "not_onboarded")
                // It may say that it is there: so people see that it waits.
                #expect(await ports.status(address, .online) == nil)
            }
            #expect(await Set(pending(home)) == ["v-1", "v-2"])
            _ = try await home.onboardThing("v-1").get()
            let upload = try StateUpload(message: Array(#"{"t":1}"#.utf8), at: 0)
            #expect(await ports.state(EdgeAddress("v-1"), upload, false)?.code != "not_onboarded")
        }
    }

    @Test func `a gateway speaks for its own end nodes alone, and they do not speak for themselves`()
        async throws
    {
        try await withBindings { home, _ in
            let ports = EdgePorts(home.service)
            try await addNode(home)
            for vendor in ["h", "v-1"] { _ = try await home.onboardThing(vendor).get() }
            #expect(await ports.status(EdgeAddress("w", gateway: "g"), .online) == nil)
            for address in [
                EdgeAddress("w", gateway: "h"), EdgeAddress("v-1", gateway: "g"),
                EdgeAddress("stranger", gateway: "g"), EdgeAddress("g", gateway: "g"), EdgeAddress("w"),
            ] {
                #expect(await ports.status(address, .offline)?.code == "not_allowed", "\(address)")
                let onboarding = await ports.onboard(address, try request(from: address.vendor))
                #expect(onboarding.code == "not_allowed", "\(address)")
                // The same is known before a message is read.
                for part in EdgeTopic.Part.ofEndNodes {
                    #expect(ports.refusal(EdgeTopic(address, part))?.code == "not_allowed", "\(address)")
                }
            }
            #expect(ports.refusal(EdgeTopic(EdgeAddress("stranger"), .onboard)) == nil)
            let own = await ports.onboard(EdgeAddress("w", gateway: "g"), try request(from: "w"))
            #expect(own.code == nil)
            // Who speaks is in the log, and none of the names that were made up.
            let rows = try home.log().filter { $0.interface == "mqtt" && $0.kind == "thing onboard" }
            let refused = rows.filter { $0.state == "refused" }
            #expect(Set(refused.map(\.caller)) == ["thing:g", "thing:h", "thing:w"])
            let done = rows.filter { $0.state == "accepted" }
            #expect(done.map(\.caller) == ["thing:g"] && done.map(\.source) == ["edge/g/node/w"])
        }
    }

    @Test func `what a gateway sees is pending until it has an owner`() async throws {
        try await withBindings { home, _ in
            let ports = EdgePorts(home.service)
            _ = try await home.onboardOwner(home.bob, "g").get()
            let nodes = [EdgeNode("w", properties: ["name": "Oven"]), EdgeNode("x")]
            #expect(await ports.nodes(EdgeAddress("g"), nodes) == nil)
            #expect(await pending(home) == ["w", "x"])
            let answer = await home.ask("GET", "/api/bindings", query: ["filter": "pending"])
            let row = answer.body["bindings"]?.array?.first
            #expect(row?["gateway"] == "g" && row?["properties"] == ["name": "Oven"])
            #expect(row?["seen"]?.string != nil && row?["owned"] == false)
            #expect(await ports.nodes(EdgeAddress("g"), [EdgeNode("x")]) == nil)
            #expect(await pending(home) == ["x"])
            try await addNode(home)
            #expect(await ports.nodes(EdgeAddress("g"), [EdgeNode("w"), EdgeNode("x")]) == nil)
            #expect(await pending(home) == ["x"])
        }
    }

    @Test func `a node stays that of the gateway that saw it first, as long as that one sees it`()
        async throws
    {
        try await withBindings { home, _ in
            let ports = EdgePorts(home.service)
            for vendor in ["g", "h"] { _ = try await home.onboardOwner(home.bob, vendor).get() }
            func gateways() async -> [String?] {
                let answer = await home.ask("GET", "/api/bindings", query: ["filter": "pending"])
                return (answer.body["bindings"]?.array ?? []).map { $0["gateway"]?.string }
            }
            #expect(await ports.nodes(EdgeAddress("g"), [EdgeNode("w")]) == nil)
            #expect(await ports.nodes(EdgeAddress("h"), [EdgeNode("w"), EdgeNode("x")]) == nil)
            #expect(await gateways() == ["g", "h"])
            #expect(await ports.nodes(EdgeAddress("g"), []) == nil)
            #expect(await ports.nodes(EdgeAddress("h"), [EdgeNode("w")]) == nil)
            #expect(await gateways() == ["h"])
            // Seven days later it is free, and a thing that speaks itself is nobody's.
            home.now.withLock { $0 += 7 * 86_400_000 }
            #expect(await ports.nodes(EdgeAddress("g"), [EdgeNode("w"), EdgeNode("x")]) == nil)
            #expect(await gateways() == ["g", "g"])
            #expect(await ports.status(EdgeAddress("w"), .online) == nil)
            #expect(await ports.nodes(EdgeAddress("g"), [EdgeNode("w"), EdgeNode("x")]) == nil)
            #expect(await gateways() == [nil, "g"])
        }
    }

    @Test func `no gateway pushes out what others see, or things that speak themselves`() async throws {
        try await withBindings { home, _ in
            let ports = EdgePorts(home.service)
            let gateways = (0..<6).map { "g-\($0)" }
            for vendor in gateways { _ = try await home.onboardOwner(home.owner, vendor).get() }
            for vendor in ["s-1", "s-2"] { #expect(await ports.status(EdgeAddress(vendor), .online) == nil) }
            #expect(await ports.nodes(EdgeAddress("g-0"), [EdgeNode("w")]) == nil)
            for vendor in gateways.dropFirst() {
                let nodes = (0..<1000).map { EdgeNode("\(vendor)-\($0)") }
                #expect(await ports.nodes(EdgeAddress(vendor), nodes) == nil)
            }
            let names = await pending(home).compactMap(\.self)
            #expect(names.count == 1000 && Set(["s-1", "s-2", "w"]).isSubset(of: names))
            for vendor in gateways.dropFirst() {
                #expect(199...200 ~= names.count { $0.hasPrefix("\(vendor)-") })
            }
        }
    }

    @Test func `a thousand things are pending at most, the newest ones, for seven days`() async throws {
        try await withBindings { home, _ in
            let ports = EdgePorts(home.service)
            for number in 0..<1001 {
                home.now.withLock { $0 += 1 }
                #expect(await ports.status(EdgeAddress("s-\(number)"), .online) == nil)
            }
            let names = await pending(home)
            #expect(names.count == 1000 && !names.contains("s-0") && names.contains("s-1000"))
            home.now.withLock { $0 += 7 * 86_400_000 }
            #expect(await pending(home) == [])
            #expect(await ports.status(EdgeAddress("s-1"), .offline) == nil)
            #expect(await pending(home) == ["s-1"])
            #expect(await ports.status(EdgeAddress("s-1"), nil) == nil)
            #expect(await pending(home) == [])
        }
    }

    @Test func `an answer over HTTP says where the broker is, and the topics of the thing`() {
        let topics = Topics(root: "t/n")
        for host in ["localhost", "127.0.0.1", "127.1.2.3", "::1"] {
            let broker = EdgeSettings.Broker(host: host, port: 1883, isSecure: false, ownName: "panel")
            #expect(broker.host == "panel")
        }
        let broker = EdgeSettings.Broker(host: "127.example", port: 8883, isSecure: true, ownName: "panel")
        #expect(broker.host == "127.example")
        let settings = EdgeSettings(topics) { broker }
        let thing = settings.endpoint(of: EdgeAddress("v-1"))
        #expect(thing.topic == "t/n/edge/v-1" && thing.user == "v-1" && thing.isSecure)
        let node = settings.endpoint(of: EdgeAddress("w", gateway: "g"))
        #expect(node.topic == "t/n/edge/g/node/w" && node.user == "g" && node.port == 8883)
    }
}
