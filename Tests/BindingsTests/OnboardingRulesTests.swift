import Bindings
import JSON
import People
import SeededRandom
import Testing
import Things

struct OnboardingRulesTests {
    private static let id = BindingID(high: 1, low: 2)
    private static let user = BindingCaller.user(.user(AccountID(high: 1, low: 1)))

    private static func request(_ form: OnboardingForm, _ members: JSONObject = [:]) throws
        -> OnboardingRequest
    {
        var body: JSONObject = ["thingPassword": "secret"]
        body["vendorThingID"] = form == .vendorByOwner || form == .vendorByThing ? "v-1" : nil
        body["thingID"] = form == .thingByOwner || form == .thingByThing ? .string("\(id)") : nil
        body["owner"] = form.isByOwner ? "user:owner" : nil
        for (key, value) in members { body[key] = value }
        return try OnboardingRequest(form, .object(body))
    }

    private static func onboard(
        _ request: OnboardingRequest,
        _ known: ThingBinding? = nil,
        gateway: ThingBinding? = nil,
        hasEndNodes: Bool = false,
        _ password: OnboardingRules.Password? = nil,
        by caller: BindingCaller? = nil,
        isOwnerAllowed: Bool = true,
        isOwner: Bool = false
    ) -> Result<Onboarded, BindingsError> {
        OnboardingRules.onboard(
            request,
            OnboardingRules.Known(known, gateway: gateway, hasEndNodes: hasEndNodes),
            password ?? (known == nil ? .isFirst(hash: "hash") : .isRight),
            as: id,
            by: caller ?? (request.form.isByOwner ? user : .app),
            isOwnerAllowed: isOwnerAllowed,
            isOwner: isOwner,
            at: 1000
        )
    }

    private static func code(_ result: Result<Onboarded, BindingsError>) -> String? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test func `the owner alone onboards a thing, which gets a token`() throws {
        let onboarded = try Self.onboard(Self.request(.vendorByOwner, ["dataGroupingInterval": "1_HOUR"]))
            .get()
        #expect(onboarded.givesToken)
        #expect(onboarded.isFirstOwner)
        #expect(onboarded.binding.id == Self.id)
        #expect(onboarded.binding.password == "hash")
        #expect(onboarded.binding.isOwned)
        #expect(try onboarded.binding.history.get() == .hour)
    }

    @Test func `thing and owner onboard it in either order`() throws {
        let byThing = try Self.onboard(Self.request(.vendorByThing)).get()
        #expect(byThing.givesToken && !byThing.isFirstOwner && !byThing.binding.isOwned)
        let owned = try Self.onboard(Self.request(.thingByOwner), byThing.binding).get()
        #expect(!owned.givesToken && owned.isFirstOwner && owned.binding.isOwned)

        let byOwner = try Self.onboard(Self.request(.vendorByOwner)).get()
        let again = try Self.onboard(Self.request(.thingByThing), byOwner.binding).get()
        #expect(again.givesToken && !again.isFirstOwner && again.binding.isOwned)
    }

    @Test func `later owners get no token and are not the first`() throws {
        let first = try Self.onboard(Self.request(.vendorByOwner)).get()
        let second = try Self.onboard(Self.request(.vendorByOwner), first.binding).get()
        #expect(!second.givesToken && !second.isFirstOwner)
        #expect(second.binding == first.binding)
    }

    @Test func `a wrong password is not allowed, whoever asks`() throws {
        let known = try Self.onboard(Self.request(.vendorByThing)).get().binding
        for form in [OnboardingForm.vendorByOwner, .thingByOwner, .vendorByThing, .thingByThing] {
            let request = try Self.request(form)
            #expect(Self.code(Self.onboard(request, known, .isWrong)) == "not_allowed")
            // Two at once: the second finds the binding of the first.
            #expect(Self.code(Self.onboard(request, known, .isFirst(hash: "other"))) == "not_allowed")
        }
    }

    @Test func `a thingID that is not known is refused`() throws {
        for form in [OnboardingForm.thingByOwner, .thingByThing] {
            #expect(Self.code(Self.onboard(try Self.request(form))) == "unknown_thing")
        }
    }

    @Test func `each form has its callers`() throws {
        for form in [OnboardingForm.vendorByOwner, .vendorByThing] {
            let request = try Self.request(form)
            func code(_ caller: BindingCaller) -> String? { Self.code(Self.onboard(request, by: caller)) }
            #expect(code(.user(.nobody)) == "unauthenticated")
            #expect(code(.thing(Self.id)) == "not_allowed")
            #expect(code(Self.user) == (form.isByOwner ? nil : "not_allowed"))
            #expect(code(.app) == (form.isByOwner ? "unauthenticated" : nil))
            #expect(code(.anonymous) == (form.isByOwner ? "unauthenticated" : nil))
        }
    }

    @Test func `an owner who is not allowed is refused`() throws {
        #expect(
            Self.code(Self.onboard(try Self.request(.vendorByOwner), isOwnerAllowed: false)) == "not_allowed"
        )
        #expect(Self.code(Self.onboard(try Self.request(.vendorByThing), isOwnerAllowed: false)) == nil)
    }

    @Test func `a later type, properties or interval is ignored and named`() throws {
        let first = try Self.onboard(
            Self.request(.vendorByOwner, ["thingType": "meter", "thingProperties": ["a": 1]])
        ).get()
        let second = try Self.onboard(
            Self.request(
                .vendorByOwner,
                [
                    "thingType": "other", "thingProperties": ["a": 1, "_b": 2],
                    "dataGroupingInterval": "1_HOUR",
                ]
            ),
            first.binding
        ).get()
        // The same properties are no others; no interval is fixed, too.
        #expect(second.ignored == ["thingType", "interval", "_b"])
        #expect(second.binding.type == "meter")
        #expect(second.binding.interval == nil)
        #expect(throws: BindingsError.self) { try second.binding.history.get() }
    }

    @Test func `properties that are dropped fix nothing`() throws {
        let first = try Self.onboard(Self.request(.vendorByThing, ["thingProperties": ["_a": 1]])).get()
        #expect(first.ignored == ["_a"])
        #expect(first.binding.fixed.isEmpty)
        let second = try Self.onboard(
            Self.request(.vendorByThing, ["thingProperties": ["a": 1]]),
            first.binding
        ).get()
        #expect(second.ignored == [])
        #expect(second.binding.properties == ["a": 1])
    }

    @Test func `whatever the order of onboardings, the same is fixed`() throws {
        for seed in UInt64(0)..<500 {
            var random = SplitMix64(seed: seed)
            var requests: [OnboardingRequest] = []
            for _ in 0..<(1 + random.number(below: 5)) { requests.append(try Self.randomRequest(&random)) }
            for _ in 0..<4 {
                requests.shuffle(using: &random)
                var model = Model()
                var binding: ThingBinding?
                for request in requests {
                    let onboarded = try Self.onboard(request, binding).get()
                    #expect(onboarded.ignored == model.add(request), "seed \(seed)")
                    binding = onboarded.binding
                }
                let isOwned = requests.contains { $0.form.isByOwner }
                let given = Set(requests.flatMap(Model.fields))
                #expect(binding?.fixed == (isOwned ? Set(FixedField.allCases) : given), "seed \(seed)")
                #expect(binding?.isOwned == isOwned)
                #expect(binding?.type == model.type, "seed \(seed)")
                #expect(binding?.properties == model.properties ?? [:], "seed \(seed)")
                #expect(binding?.interval == model.interval, "seed \(seed)")
            }
        }
    }

    @Test func `nothing is fixed twice`() throws {
        for seed in UInt64(0)..<300 {
            var random = SplitMix64(seed: seed)
            var binding = try Self.onboard(Self.randomRequest(&random)).get().binding
            for _ in 0..<5 {
                let next = try Self.onboard(Self.randomRequest(&random), binding).get().binding
                #expect(next.fixed.isSuperset(of: binding.fixed))
                for field in binding.fixed {
                    switch field {
                    case .type: #expect(next.type == binding.type, "seed \(seed)")
                    case .properties: #expect(next.properties == binding.properties, "seed \(seed)")
                    case .interval: #expect(next.interval == binding.interval, "seed \(seed)")
                    }
                }
                binding = next
            }
        }
    }

    private static func randomRequest(_ random: inout SplitMix64) throws -> OnboardingRequest {
        var members = JSONObject()
        if random.chance(2) { members["thingType"] = .string(random.pick(["meter", "lamp"], else: "")) }
        if random.chance(2) { members["thingProperties"] = ["a": JSONValue(random.number(below: 2))] }
        if random.chance(2) {
            members["dataGroupingInterval"] = .string(random.pick(["1_MINUTE", "1_HOUR"], else: ""))
        }
        return try request(random.chance(2) ? .vendorByOwner : .vendorByThing, members)
    }

    @Test func `an end node is onboarded with its gateway`() throws {
        let gatewayID = BindingID(high: 7, low: 7)
        var gateway = ThingBinding(gatewayID, vendor: "g-1", password: "hash", made: 0)
        let request = try OnboardingRequest(
            .endNode,
            [
                "gatewayThingID": .string("\(gatewayID)"), "endNodeVendorThingID": "n-1",
                "endNodePassword": "secret",
                "owner": "user:owner",
            ]
        )
        #expect(Self.code(Self.onboard(request)) == "unknown_thing")
        #expect(Self.code(Self.onboard(request, gateway: gateway)) == "not_onboarded")
        gateway.isOwned = true
        let node = try Self.onboard(request, gateway: gateway).get()
        #expect(node.binding.gateway == gatewayID)
        #expect(node.binding.layout == .endNode)
        // It stays an end node, whatever it says itself.
        let again = try Self.onboard(
            Self.request(.vendorByThing, ["layoutPosition": "GATEWAY"]),
            node.binding
        ).get()
        #expect(again.binding.layout == .endNode)
        gateway.gateway = Self.id
        #expect(Self.code(Self.onboard(request, gateway: gateway)) == "invalid_value")
    }

    @Test func `a gateway is no end node of another and not of itself`() throws {
        let gatewayID = BindingID(high: 7, low: 7)
        var gateway = ThingBinding(gatewayID, vendor: "n-1", password: "hash", made: 0)
        gateway.isOwned = true
        let request = try OnboardingRequest(
            .endNode,
            [
                "gatewayThingID": .string("\(gatewayID)"), "endNodeVendorThingID": "n-1",
                "endNodePassword": "secret",
                "owner": "user:owner",
            ]
        )
        #expect(Self.code(Self.onboard(request, gateway, gateway: gateway)) == "invalid_value")
        var other = ThingBinding(Self.id, vendor: "n-1", password: "hash", made: 0)
        other.layout = .gateway
        let fine = ThingBinding(gatewayID, vendor: "g-1", password: "hash", made: 0)
        var owned = fine
        owned.isOwned = true
        #expect(Self.code(Self.onboard(request, other, gateway: owned)) == "invalid_value")
    }

    /// A gateway that has an owner, and a request for the end node n-1 of it.
    private static func endNode() throws -> (gateway: ThingBinding, request: OnboardingRequest) {
        var gateway = ThingBinding(BindingID(high: 7, low: 7), vendor: "g-1", password: "hash", made: 0)
        gateway.isOwned = true
        let members: JSONObject = [
            "gatewayThingID": .string("\(gateway.id)"), "endNodeVendorThingID": "n-1",
            "endNodePassword": "secret", "owner": "user:owner",
        ]
        return (gateway, try OnboardingRequest(.endNode, .object(members)))
    }

    @Test(arguments: [true, false])
    func `a thing that is owned or was heard gets a gateway from who owns it alone`(isOwned: Bool) throws {
        let (gateway, request) = try Self.endNode()
        var thing = ThingBinding(Self.id, vendor: "n-1", password: "hash", made: 0)
        if isOwned { thing.isOwned = true } else { thing.route = .edge }
        #expect(Self.code(Self.onboard(request, thing, gateway: gateway)) == "not_allowed")
        // Who does not know the password learns nothing else.
        let wrong = Self.onboard(request, thing, gateway: gateway, .isWrong)
        guard case .failure(.refused(let refusal)) = wrong else { return #expect(Bool(false)) }
        #expect(refusal.message == "the password of the thing is wrong")
        let node = try Self.onboard(request, thing, gateway: gateway, isOwner: true).get().binding
        #expect(node.gateway == gateway.id && node.layout == .endNode)
        // Another owner of the same end node moves nothing.
        #expect(Self.code(Self.onboard(request, node, gateway: gateway)) == nil)
        var moved = node
        moved.gateway = BindingID(high: 6, low: 6)
        #expect(Self.code(Self.onboard(request, moved, gateway: gateway)) == "not_allowed")
    }

    @Test func `a thing that is only expected becomes an end node`() throws {
        let (gateway, request) = try Self.endNode()
        let expected = ThingBinding(Self.id, vendor: "n-1", password: "hash", made: 0)
        #expect(try Self.onboard(request, expected, gateway: gateway).get().binding.gateway == gateway.id)
    }

    @Test func `an end node speaks for itself again when who owns it says so`() throws {
        let (gateway, request) = try Self.endNode()
        let node = try Self.onboard(request, gateway: gateway).get().binding
        for (position, layout) in [("STANDALONE", .standalone), ("GATEWAY", .gateway)]
            as [(JSONValue, ThingBinding.Layout)]
        {
            let claim = try Self.request(.vendorByOwner, ["layoutPosition": position])
            let freed = try Self.onboard(claim, node, isOwner: true).get().binding
            #expect(freed.gateway == nil && freed.layout == layout)
            #expect(try Self.onboard(claim, node).get().binding.gateway == gateway.id)
            let own = try Self.request(.vendorByThing, ["layoutPosition": position])
            #expect(try Self.onboard(own, node).get().binding.gateway == gateway.id)
        }
        for position: JSONValue in ["ENDNODE", .null] {
            let claim = try Self.request(.vendorByOwner, ["layoutPosition": position])
            #expect(try Self.onboard(claim, node, isOwner: true).get().binding.gateway == gateway.id)
        }
    }

    @Test(arguments: [nil, .standalone, .gateway] as [ThingBinding.Layout?])
    func `a thing that has end nodes is a gateway, whatever its layout says`(
        layout: ThingBinding.Layout?
    ) throws {
        let gatewayID = BindingID(high: 7, low: 7)
        var gateway = ThingBinding(gatewayID, vendor: "g-1", password: "hash", made: 0)
        gateway.isOwned = true
        var thing = ThingBinding(Self.id, vendor: "n-1", password: "hash", made: 0)
        thing.layout = layout
        let request = try OnboardingRequest(
            .endNode,
            [
                "gatewayThingID": .string("\(gatewayID)"), "endNodeVendorThingID": "n-1",
                "endNodePassword": "secret",
                "owner": "user:owner",
            ]
        )
        #expect(
            Self.code(Self.onboard(request, thing, gateway: gateway, hasEndNodes: true)) == "invalid_value"
        )
        for position: JSONValue in ["STANDALONE", "ENDNODE", "GATEWAY", .null] {
            let later = try Self.request(.thingByThing, ["layoutPosition": position])
            #expect(try Self.onboard(later, thing, hasEndNodes: true).get().binding.layout == .gateway)
        }
        // Without them it may become something else again.
        let free = try Self.request(.thingByThing, ["layoutPosition": "STANDALONE"])
        #expect(try Self.onboard(free, thing).get().binding.layout == .standalone)
    }

    @Test func `there is no history without an owner or without an interval`() {
        var binding = ThingBinding(Self.id, vendor: "v-1", password: "hash", made: 0)
        binding.interval = .hour
        #expect(throws: BindingsError.self) { try binding.history.get() }
        binding.isOwned = true
        #expect(throws: Never.self) { try binding.history.get() }
        binding.interval = nil
        #expect(throws: BindingsError.self) { try binding.history.get() }
    }
}

/// What is fixed, reckoned from all that was given.
private struct Model {
    var type: String?
    var properties: JSONObject?
    var interval: GroupInterval?
    private var isClosed = false

    static func fields(_ request: OnboardingRequest) -> [FixedField] {
        (request.type == nil ? [] : [.type]) + (request.properties == nil ? [] : [.properties])
            + (request.interval == nil ? [] : [.interval])
    }

    /// - Returns: What is ignored.
    mutating func add(_ request: OnboardingRequest) -> [String] {
        if !isClosed {
            // The first to give a field decides it.
            type = type ?? request.type
            properties = properties ?? request.properties
            interval = interval ?? request.interval
        }
        isClosed = isClosed || request.form.isByOwner
        let ignored = [
            request.type != nil && request.type != type ? "thingType" : nil,
            request.properties != nil && request.properties != properties ?? [:] ? "thingProperties" : nil,
            request.interval != nil && request.interval != interval ? "interval" : nil,
        ]
        return ignored.compactMap(\.self)
    }
}
