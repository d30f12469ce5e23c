package import JSON
package import People
import Text
package import Things

/// A request to onboard a thing, whose form is checked.
///
/// - Source: contrib/contract/bindings.md, "Forms of an onboarding".
package struct OnboardingRequest: Sendable, Hashable {
    /// Which thing is meant.
    package enum Thing: Sendable, Hashable {
        case vendor(String)
        case id(BindingID)
        /// One behind a gateway.
        case endNode(vendor: String, gateway: BindingID)
    }

    package let form: OnboardingForm
    package let thing: Thing
    package let password: String
    /// Absent when the thing itself asks.
    package let owner: OwnerName?
    package let type: String?
    package let firmware: String?
    package let properties: JSONObject?
    package let layout: ThingBinding.Layout?
    package let interval: GroupInterval?
    /// The members of the properties that were dropped, since their names are reserved.
    package let dropped: [String]

    /// Bytes of the properties as compact JSON.
    package static let maximumProperties = 64_512
    /// Levels of objects and lists within the properties, with their own.
    package static let maximumDepth = 16
    /// Bytes of a password.
    package static let longestPassword = 200
}

// MARK: - Reading

extension OnboardingRequest {
    /// What the members are called.
    private struct Names {
        var vendor = "vendorThingID"
        var password = "thingPassword"
        var type = "thingType"
        var firmware: String? = "firmwareVersion"
        var properties = "thingProperties"
        var interval = "dataGroupingInterval"
        var layout: String? = "layoutPosition"

        static let endNode = Names(
            vendor: "endNodeVendorThingID",
            password: "endNodePassword",
            type: "endNodeThingType",
            firmware: nil,
            properties: "endNodeThingProperties",
            layout: nil
        )
        /// On the thing's own topic.
        static let edge = Names(
            password: "password",
            type: "type",
            firmware: "firmware",
            properties: "properties",
            interval: "interval",
            layout: "layout"
        )

        var optional: [String] { [type, properties, interval] + [firmware, layout].compactMap(\.self) }
    }

    /// Reads the body of a request over HTTP.
    package init(_ form: OnboardingForm, _ json: JSONValue) throws(Refusal) {
        let names = form == .endNode ? Names.endNode : Names()
        let required: [String]
        switch form {
        case .vendorByOwner: required = [names.vendor, "owner"]
        case .thingByOwner: required = ["thingID", "owner"]
        case .vendorByThing: required = [names.vendor]
        case .thingByThing: required = ["thingID"]
        case .endNode: required = ["gatewayThingID", names.vendor, "owner"]
        }
        let body = try ReceivedObject(json, at: "", known: required + [names.password] + names.optional)
        let thing: Thing
        switch form {
        case .vendorByOwner, .vendorByThing: thing = .vendor(try Self.vendor(names.vendor, in: body))
        case .thingByOwner, .thingByThing: thing = .id(try Self.id("thingID", in: body))
        case .endNode:
            thing = .endNode(
                vendor: try Self.vendor(names.vendor, in: body),
                gateway: try Self.id("gatewayThingID", in: body)
            )
        }
        let owner = form.isByOwner ? try Self.owner(in: body) : nil
        try self.init(form, thing, owner, body, names)
    }

    /// Reads what a thing sends on its own topic.
    ///
    /// - Parameter vendor: The thing whose topic it is.
    package init(edge json: JSONValue, from vendor: String) throws(Refusal) {
        guard VendorName.isLegalThing(vendor) else {
            let rest = "must be \(VendorName.thingRule), is \(QuotedValue.of(vendor))"
            throw Refusal(.invalidValue, "vendorThingID \(rest)", field: "vendorThingID")
        }
        let names = Names.edge
        let body = try ReceivedObject(json, at: "", known: [names.password, "tx"] + names.optional)
        try self.init(.vendorByThing, .vendor(vendor), nil, body, names)
    }

    private init(
        _ form: OnboardingForm,
        _ thing: Thing,
        _ owner: OwnerName?,
        _ body: ReceivedObject,
        _ names: Names
    ) throws(Refusal) {
        (self.form, self.thing, self.owner) = (form, thing, owner)
        let legal = "a text of 1 to \(Self.longestPassword) bytes"
        let secret = try body.required(names.password, legal)
        // The value is a secret, and in no refusal.
        guard let password = secret.string else {
            throw body.refusal(.wrongType, of: names.password, "must be \(legal)")
        }
        guard 1...Self.longestPassword ~= password.utf8.count else {
            throw body.refusal(.invalidValue, of: names.password, "must be \(legal)")
        }
        self.password = password
        type = try body.optionalText(names.type, VendorName.typeRule)
        if let type, !VendorName.isLegalType(type) {
            throw body.invalid(names.type, .string(type), VendorName.typeRule)
        }
        firmware = try names.firmware.flatMap { name throws(Refusal) in try Self.firmware(name, in: body) }
        layout = try names.layout.flatMap { name throws(Refusal) in try Self.layout(name, in: body) }
        interval = try Self.interval(names.interval, in: body)
        let given = try Self.properties(names.properties, in: body)
        let kept = given?.filter { !Self.isReserved($0.key) }
        dropped = given?.keys.filter(Self.isReserved) ?? []
        // Of an object that has nothing else nothing is left to be fixed; an empty one means to be empty.
        properties = kept?.isEmpty == true && !dropped.isEmpty ? nil : kept
    }

    private static func isReserved(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "_") }

    private static func vendor(_ name: String, in body: ReceivedObject) throws(Refusal) -> String {
        let vendor = try body.text(name, VendorName.thingRule)
        guard VendorName.isLegalThing(vendor) else {
            throw body.invalid(name, .string(vendor), VendorName.thingRule)
        }
        return vendor
    }

    private static func id(_ name: String, in body: ReceivedObject) throws(Refusal) -> BindingID {
        let legal = "th. and 32 hexadecimal digits"
        let text = try body.text(name, legal)
        guard let id = BindingID(text) else { throw body.invalid(name, .string(text), legal) }
        return id
    }

    private static func owner(in body: ReceivedObject) throws(Refusal) -> OwnerName {
        let text = try body.text("owner", OwnerName.rule)
        guard let owner = OwnerName(text) else { throw body.invalid("owner", .string(text), OwnerName.rule) }
        return owner
    }

    private static func firmware(_ name: String, in body: ReceivedObject) throws(Refusal) -> String? {
        let legal = "a text of 1 to 200 bytes without control characters"
        guard let firmware = try body.optionalText(name, legal) else { return nil }
        guard 1...200 ~= firmware.utf8.count,
            !firmware.unicodeScalars.contains(where: HarmfulCharacters.contain)
        else { throw body.invalid(name, .string(firmware), legal) }
        return firmware
    }

    private static func layout(_ name: String, in body: ReceivedObject) throws(Refusal) -> ThingBinding
        .Layout?
    {
        try body.optional(name) == nil ? nil : body.word(name, as: ThingBinding.Layout.self)
    }

    private static func interval(_ name: String, in body: ReceivedObject) throws(Refusal) -> GroupInterval? {
        let legal = "one of \(QuotedValue.list(GroupInterval.allCases.map(\.rawValue)))"
        guard let text = try body.optionalText(name, legal) else { return nil }
        guard let interval = GroupInterval(text) else { throw body.invalid(name, .string(text), legal) }
        return interval
    }

    private static func properties(_ name: String, in body: ReceivedObject) throws(Refusal) -> JSONObject? {
        guard let properties = try body.optionalObject(name) else { return nil }
        var buffer = JSONBuffer()
        buffer.write(properties)
        guard buffer.count <= maximumProperties else {
            throw body.refusal(
                .tooLarge,
                of: name,
                "must have at most \(maximumProperties) bytes, has \(buffer.count)"
            )
        }
        guard buffer.nesting <= maximumDepth else {
            throw body.refusal(
                .invalidValue,
                of: name,
                "must have at most \(maximumDepth) levels, has \(buffer.nesting)"
            )
        }
        return properties
    }
}
