package import People
import Text
package import Things

/// What an onboarding makes of a binding.
///
/// - Source: contrib/contract/bindings.md, "Onboarding".
package struct Onboarded: Sendable, Hashable {
    package var binding: ThingBinding
    /// What was given, and changed nothing.
    package var ignored: [String]
    /// Whether the thing gets a token: in the first answer, and in each to the thing itself.
    package var givesToken: Bool
    /// Whether commands and history begin with it.
    package var isFirstOwner: Bool
}

/// The rules of onboarding.
///
/// Who may be an owner is decided elsewhere, and so is whether a password is right.
/// - Source: contrib/contract/bindings.md, "Onboarding".
package enum OnboardingRules {
    /// What is known of the password of a request.
    package enum Password: Sendable, Hashable {
        case isRight, isWrong
        /// The hash of the password of a thing that is not known yet.
        case isFirst(hash: String)
    }

    /// The bindings that a request names.
    package struct Known: Sendable, Hashable {
        /// The thing's.
        package let thing: ThingBinding?
        /// That of the gateway of an end node.
        package let gateway: ThingBinding?
        /// Whether the thing is the gateway of another binding, whatever its layout says.
        package let hasEndNodes: Bool

        package init(_ thing: ThingBinding?, gateway: ThingBinding? = nil, hasEndNodes: Bool = false) {
            (self.thing, self.gateway, self.hasEndNodes) = (thing, gateway, hasEndNodes)
        }
    }

    /// Onboards a thing, or refuses to.
    ///
    /// A request for a thing that became known meanwhile is refused as one with a wrong password: its password is checked
    /// first, against the known one. The gateway of an end node becomes one elsewhere.
    /// - Parameters:
    ///   - id: The identifier of a new binding.
    ///   - caller: A thing on its own topic is anonymous.
    ///   - isOwnerAllowed: Whether the caller may make the owner of the request one of this thing; of no meaning when the
    ///     thing itself asks.
    ///   - isOwner: Whether the caller owns the thing already.
    ///   - now: Milliseconds since 1970.
    package static func onboard(
        _ request: OnboardingRequest,
        _ known: Known,
        _ password: Password,
        as id: BindingID,
        by caller: BindingCaller,
        isOwnerAllowed: Bool,
        isOwner: Bool = false,
        at now: Int64
    ) -> Result<Onboarded, BindingsError> {
        if let refusal = refusal(of: caller, request.form) { return .failure(.refused(refusal)) }
        if let error = error(with: known, request) { return .failure(error) }
        let made: ThingBinding
        switch binding(request, known.thing, password, as: id, at: now) {
        case .success(let binding): made = binding
        case .failure(let refusal): return .failure(.refused(refusal))
        }
        // After the password: who does not know it learns nothing of the thing.
        if !isOwner, let refusal = refusal(toMove: made, request) { return .failure(.refused(refusal)) }
        guard !request.form.isByOwner || isOwnerAllowed else {
            return .failure(
                .refused(
                    Refusal(
                        .notAllowed,
                        "you may not make this owner one of thing \(made.vendor)",
                        field: "owner"
                    )
                )
            )
        }
        return .success(onboarded(made, known, request, isOwner: isOwner))
    }

    /// Why somebody may not onboard anything in a form; `nil` if they may.
    package static func refusal(of caller: BindingCaller, _ form: OnboardingForm) -> Refusal? {
        switch caller {
        case .user(.nobody): Refusal(.unauthenticated, "sign in, or send a token")
        case .user:
            form.isByOwner
                ? nil
                : Refusal(
                    .notAllowed,
                    "\(form.rawValue) is for the thing itself, with the app's key; users have another form"
                )
        case .app, .anonymous:
            form.isByOwner ? Refusal(.unauthenticated, "\(form.rawValue) needs the token of a user") : nil
        case .thing: Refusal(.notAllowed, "a thing's own token is not for onboarding")
        }
    }

    private static func error(
        with known: Known,
        _ request: OnboardingRequest
    ) -> BindingsError? {
        guard case .endNode(let vendor, let id) = request.thing else { return nil }
        guard let gateway = known.gateway, gateway.id == id else {
            return .refused(Refusal(.unknownThing, "there is no thing \(id)", field: "gatewayThingID"))
        }
        guard gateway.isOwned else {
            return .notOnboarded("gateway \(gateway.vendor) has no owner yet; onboard it first")
        }
        guard gateway.gateway == nil, gateway.vendor != vendor else {
            let reason = gateway.vendor == vendor ? "is the end node itself" : "is an end node"
            return .refused(
                Refusal(
                    .invalidValue,
                    "gatewayThingID must be a gateway, \(gateway.vendor) \(reason)",
                    field: "gatewayThingID"
                )
            )
        }
        guard known.thing?.layout != .gateway, !known.hasEndNodes else {
            let field = "endNodeVendorThingID"
            return .refused(
                Refusal(.invalidValue, "\(field) must be an end node, \(vendor) is a gateway", field: field)
            )
        }
        return nil
    }

    /// Why somebody who does not own a thing puts it behind no gateway; `nil` if they may.
    ///
    /// The gateway speaks for it from then on, and the thing itself is not heard any more.
    private static func refusal(toMove binding: ThingBinding, _ request: OnboardingRequest) -> Refusal? {
        guard case .endNode(_, let gateway) = request.thing, binding.gateway != gateway,
            binding.isOwned || binding.route == .edge
        else { return nil }
        return Refusal(
            .notAllowed,
            "thing \(binding.vendor) is there already, and only who owns it puts it behind a gateway; claim it without"
                + " the gateway first",
            field: "gatewayThingID"
        )
    }

    /// The binding as it is before the onboarding, or a new one.
    private static func binding(
        _ request: OnboardingRequest,
        _ known: ThingBinding?,
        _ password: Password,
        as id: BindingID,
        at now: Int64
    ) -> Result<ThingBinding, Refusal> {
        if let known {
            return password == .isRight
                ? .success(known) : .failure(Refusal(.notAllowed, "the password of the thing is wrong"))
        }
        switch (request.thing, password) {
        case (.id(let id), _):
            return .failure(Refusal(.unknownThing, "there is no thing \(id)", field: "thingID"))
        case (.vendor(let vendor), .isFirst(let hash)), (.endNode(let vendor, _), .isFirst(let hash)):
            return .success(ThingBinding(id, vendor: vendor, password: hash, made: now))
        case (.vendor, .isRight), (.vendor, .isWrong), (.endNode, .isRight), (.endNode, .isWrong):
            // The thing was removed after its password was checked.
            return .failure(Refusal(.unknownThing, "the thing was removed meanwhile; try again"))
        }
    }

    /// - Parameters:
    ///   - before: The binding as it is before, or a new one.
    ///   - isOwner: Whether the caller owns the thing already.
    private static func onboarded(
        _ before: ThingBinding,
        _ known: Known,
        _ request: OnboardingRequest,
        isOwner: Bool
    ) -> Onboarded {
        var binding = before
        var ignored: [FixedField] = []
        if let type = request.type, !binding.fix(.type, \.type, as: type) { ignored.append(.type) }
        if let properties = request.properties, !binding.fix(.properties, \.properties, as: properties) {
            ignored.append(.properties)
        }
        if let interval = request.interval, !binding.fix(.interval, \.interval, as: interval) {
            ignored.append(.interval)
        }
        let isByOwner = request.form.isByOwner
        if isByOwner { binding.fixed = Set(FixedField.allCases) }
        binding.firmware = request.firmware ?? binding.firmware
        binding.layout = request.layout ?? binding.layout
        if case .endNode(_, let gateway) = request.thing { binding.gateway = gateway }
        // The way back from a gateway: it must be said, since owners onboard end nodes without one, too, to share them.
        if isOwner, isByOwner, let layout = request.layout, layout != .endNode { binding.gateway = nil }
        if binding.gateway != nil { binding.layout = .endNode }
        // It speaks for others, whatever it is told or says.
        if known.hasEndNodes { binding.layout = .gateway }
        binding.isOwned = before.isOwned || isByOwner
        return Onboarded(
            binding: binding,
            ignored: ignored.map(\.rawValue) + request.dropped,
            givesToken: known.thing == nil || !isByOwner,
            isFirstOwner: isByOwner && !before.isOwned
        )
    }
}

extension ThingBinding {
    /// Gives a field its value, unless it is fixed.
    ///
    /// - Returns: Whether it has this value now.
    fileprivate mutating func fix<Value: Equatable>(
        _ field: FixedField,
        _ path: WritableKeyPath<ThingBinding, Value>,
        as value: Value
    ) -> Bool {
        guard fixed.insert(field).inserted else { return self[keyPath: path] == value }
        self[keyPath: path] = value
        return true
    }
}
