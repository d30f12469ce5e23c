import Bindings
import JSON
import People
import SeededRandom
import Testing
import Things

struct OnboardingRequestTests {
    private static let id = BindingID(high: 1, low: 2)

    private static func body(_ form: OnboardingForm, _ changes: JSONObject = [:]) -> JSONValue {
        var body: JSONObject
        switch form {
        case .vendorByOwner:
            body = ["vendorThingID": "v-1", "thingPassword": "secret", "owner": "user:owner"]
        case .thingByOwner:
            body = ["thingID": .string("\(id)"), "thingPassword": "secret", "owner": "group:family"]
        case .vendorByThing: body = ["vendorThingID": "v-1", "thingPassword": "secret"]
        case .thingByThing: body = ["thingID": .string("\(id)"), "thingPassword": "secret"]
        case .endNode:
            body = [
                "gatewayThingID": .string("\(id)"), "endNodeVendorThingID": "n-1",
                "endNodePassword": "secret",
                "owner": "user:owner",
            ]
        }
        for (key, value) in changes { body[key] = value }
        return .object(body)
    }

    @Test(arguments: OnboardingForm.allCases)
    func `a content type says the form, whatever its case and parameters`(form: OnboardingForm) throws {
        let type = "application/vnd.kii.\(form.rawValue)+json"
        for type in [type, type.uppercased(), type.lowercased(), "\(type); charset=utf-8", " \(type) ;x=y"] {
            #expect(try OnboardingForm(contentType: type) == form)
        }
    }

    @Test(arguments: [
        nil, "", "application/json", "application/vnd.kii.Onboarding+json",
        "application/vnd.kii.OnboardingWithThingIDByOwner",
    ])
    func `another content type is refused with the list of the five`(type: String?) {
        let refusal = #expect(throws: Refusal.self) { try OnboardingForm(contentType: type) }
        for form in OnboardingForm.allCases { #expect(refusal?.message.contains(form.contentType) == true) }
    }

    @Test(arguments: OnboardingForm.allCases)
    func `a form is read with what it needs, and refused without`(form: OnboardingForm) throws {
        let request = try OnboardingRequest(form, Self.body(form))
        #expect(request.password == "secret")
        #expect((request.owner != nil) == form.isByOwner)
        for name in Self.body(form).object?.keys ?? [] {
            let refusal = #expect(throws: Refusal.self) {
                try OnboardingRequest(form, Self.body(form, [name: .null]))
            }
            #expect(refusal?.message.hasPrefix("\(name) is missing") == true)
            #expect(refusal?.field == name)
        }
        let refusal = #expect(throws: Refusal.self) { try OnboardingRequest(form, Self.body(form, ["x": 1])) }
        #expect(refusal?.message.hasPrefix("x is unknown") == true)
    }

    @Test func `an owner is none of the thing's members`() {
        #expect(throws: Refusal.self) {
            try OnboardingRequest(.vendorByThing, Self.body(.vendorByThing, ["owner": "user:owner"]))
        }
    }

    @Test func `all members are read`() throws {
        let request = try OnboardingRequest(
            .vendorByOwner,
            Self.body(
                .vendorByOwner,
                [
                    "thingType": "meter", "firmwareVersion": "1.2", "layoutPosition": "STANDALONE",
                    "dataGroupingInterval": "INTERVAL_15_MINUTES",
                    "thingProperties": ["a": 1, "_b": 2, "_": 3],
                ]
            )
        )
        #expect(request.thing == .vendor("v-1"))
        #expect(request.owner == .user(named: "owner"))
        #expect(request.type == "meter")
        #expect(request.firmware == "1.2")
        #expect(request.layout == .standalone)
        #expect(request.interval == .quarterHour)
        #expect(request.properties == ["a": 1])
        #expect(request.dropped == ["_", "_b"])
    }

    @Test func `properties of which all are dropped were not given, and empty ones were`() throws {
        func request(_ properties: JSONValue) throws -> OnboardingRequest {
            try OnboardingRequest(
                .vendorByOwner,
                Self.body(.vendorByOwner, ["thingProperties": properties])
            )
        }
        let reserved = try request(["_a": 1, "_b": [:]])
        #expect(reserved.properties == nil)
        #expect(reserved.dropped == ["_a", "_b"])
        #expect(try request([:]).properties == [:])
    }

    @Test func `an end node has members of its own`() throws {
        let request = try OnboardingRequest(
            .endNode,
            Self.body(.endNode, ["endNodeThingType": "bulb", "endNodeThingProperties": [:]])
        )
        #expect(request.thing == .endNode(vendor: "n-1", gateway: Self.id))
        #expect(request.type == "bulb")
        #expect(throws: Refusal.self) {
            try OnboardingRequest(.endNode, Self.body(.endNode, ["thingType": "bulb"]))
        }
    }

    @Test func `a thing on its own topic has short names`() throws {
        let request = try OnboardingRequest(
            edge: ["password": "secret", "type": "meter", "interval": "1_HOUR", "tx": "7"],
            from: "v-1"
        )
        #expect(request.thing == .vendor("v-1"))
        #expect(request.form == .vendorByThing)
        #expect(request.type == "meter")
        #expect(throws: Refusal.self) { try OnboardingRequest(edge: ["password": "secret"], from: "..") }
        #expect(throws: Refusal.self) {
            try OnboardingRequest(edge: ["thingPassword": "secret"], from: "v-1")
        }
    }

    @Test(arguments: [
        ("vendorThingID", 200, true), ("vendorThingID", 201, false), ("thingType", 100, true),
        ("thingType", 101, false), ("thingPassword", 200, true), ("thingPassword", 201, false),
        ("firmwareVersion", 200, true), ("firmwareVersion", 201, false), ("vendorThingID", 0, false),
        ("thingType", 0, false), ("thingPassword", 0, false),
    ])
    func `a name of its greatest length is taken and a longer one refused`(
        member: String,
        length: Int,
        isLegal: Bool
    ) {
        let text = String(repeating: "a", count: length)
        let json = Self.body(.vendorByOwner, [member: .string(text)])
        #expect(((try? OnboardingRequest(.vendorByOwner, json)) != nil) == isLegal)
    }

    @Test(arguments: ["a/b", "a+", "#", "$a", "ä", "a b", ".", "..", "", "a\u{0}"])
    func `a vendor's name with other characters is refused`(name: String) {
        #expect(throws: Refusal.self) {
            try OnboardingRequest(.vendorByThing, Self.body(.vendorByThing, ["vendorThingID": .string(name)]))
        }
        #expect(TargetName("VENDOR_THING_ID:\(name)") == nil)
    }

    @Test func `64,512 bytes of properties are taken and 64,513 refused`() throws {
        func json(_ length: Int) -> JSONValue {
            // {"a":"…"} has eight bytes beside the text.
            let text = String(repeating: "x", count: length - 8)
            return Self.body(.vendorByOwner, ["thingProperties": ["a": .string(text)]])
        }
        #expect(throws: Never.self) { try OnboardingRequest(.vendorByOwner, json(64_512)) }
        let refusal = #expect(throws: Refusal.self) { try OnboardingRequest(.vendorByOwner, json(64_513)) }
        #expect(refusal?.code == .tooLarge)
        #expect(refusal?.message == "thingProperties must have at most 64512 bytes, has 64513")
    }

    @Test func `properties of 16 levels are taken and of 17 refused`() {
        func json(_ levels: Int) -> JSONValue {
            let inner = (1..<levels).reduce(JSONValue.null) { value, _ in [value] }
            return Self.body(.vendorByOwner, ["thingProperties": ["a": inner]])
        }
        #expect(throws: Never.self) { try OnboardingRequest(.vendorByOwner, json(16)) }
        #expect(throws: Refusal.self) { try OnboardingRequest(.vendorByOwner, json(17)) }
    }

    @Test func `a password is in no refusal`() {
        for password: JSONValue in [.string(String(repeating: "geheim", count: 40)), ["geheim"], 7] {
            let refusal = #expect(throws: Refusal.self) {
                try OnboardingRequest(.vendorByThing, Self.body(.vendorByThing, ["thingPassword": password]))
            }
            #expect(refusal?.message.contains("geheim") == false)
            let list = #expect(throws: Refusal.self) { try OnboardingRequest(.vendorByThing, [password]) }
            #expect(list?.message.contains("geheim") == false)
        }
    }

    @Test(arguments: ["", "owner", "user:", "user:Owner", "thing:x", "user:\u{301}a", "group"])
    func `an owner of another form is refused`(text: String) {
        #expect(OwnerName(text) == nil)
        #expect(throws: Refusal.self) {
            try OnboardingRequest(.vendorByOwner, Self.body(.vendorByOwner, ["owner": .string(text)]))
        }
    }

    @Test func `an owner is named by its identifier too`() {
        let id = AccountID(high: 5, low: 6)
        #expect(OwnerName("user:\(id)") == .known(.user(id)))
        #expect(OwnerName("group:\(id)") == .known(.group(id)))
    }

    @Test func `an owner's kind may be written in capitals`() {
        let id = AccountID(high: 5, low: 6)
        #expect(OwnerName("USER:\(id)") == .known(.user(id)))
        #expect(OwnerName("USER:owner") == .user(named: "owner"))
        #expect(OwnerName("GROUP:staff") == .group(named: "staff"))
        #expect(OwnerName("User:owner") == nil)
    }

    @Test func `any bytes are read or refused`() {
        var fuzz = Fuzz(seed: 32, corpus: OnboardingForm.allCases.map { Self.body($0).text })
        for index in 0..<Fuzz.count {
            guard let json = try? JSONValue(parsing: fuzz.next(), keepsHugeNumbers: true) else { continue }
            let forms = OnboardingForm.allCases
            _ = try? OnboardingRequest(forms[index % forms.count], json)
            _ = try? OnboardingRequest(edge: json, from: "v-1")
        }
    }
}
