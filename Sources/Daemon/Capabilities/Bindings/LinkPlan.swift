package import Bindings
package import Controller
package import Flare
package import JSON
package import People
import Text
package import Things

/// Which thing of the place a binding is to become.
package struct LinkWish: Sendable, Hashable {
    let id: BindingID
    let vendor: String
    let type: String?
    /// By slug or identifier.
    let thing: String?
    /// What a new thing is called.
    let name: String
    /// Where a new thing is made, by slug, identifier or name.
    let zone: String?
    /// Whether a thing is being made for it.
    let isMaking: Bool
    /// Who asks: what they may not see is not there for them.
    let caller: Caller
    /// Who is to own it.
    let owners: Set<Grantee>
    /// Things that are linked to other bindings.
    let taken: Set<FlareID>
    /// What the thing has reported last.
    let state: JSONObject
    /// How orders reach a thing that is made for it.
    let route: EdgeRoute

    /// - Parameters:
    ///   - thing: A thing that the request names; without it that of the properties counts, likewise the zone.
    ///   - owners: Who is to own it.
    ///   - taken: Things that are linked to other bindings.
    ///   - state: What the thing has reported last.
    ///   - route: How orders reach a thing that is made for it.
    package init(
        _ binding: ThingBinding,
        thing: String? = nil,
        zone: String? = nil,
        for caller: Caller,
        owners: Set<Grantee>,
        taken: Set<FlareID>,
        state: JSONObject,
        route: EdgeRoute
    ) {
        (id, vendor, type) = (binding.id, binding.vendor, binding.type)
        isMaking = binding.isMaking
        (self.owners, self.state, self.route) = (owners, state, route)
        self.thing = thing ?? binding.properties["thing"]?.string
        self.zone = zone ?? binding.properties["zone"]?.string
        name = Self.name(binding.properties["name"]?.string) ?? binding.vendor
        (self.caller, self.taken) = (caller, taken)
    }

    /// A text that is the name of an object; `nil` for one that cannot be.
    private static func name(_ text: String?) -> String? {
        guard let text, (1...200).contains(text.unicodeScalars.count),
            !text.unicodeScalars.contains(where: HarmfulCharacters.contain),
            text.contains(where: { !$0.isWhitespace })
        else { return nil }
        return text
    }
}

/// How a binding gets its thing.
package enum LinkPlan: Sendable, Hashable {
    /// By a thing that is there.
    ///
    /// - Parameters:
    ///   - isMade: Whether an onboarding made it, which was not stored.
    ///   - model: The profile that the thing gets.
    case link(FlareID, AccessObject, isMade: Bool, model: String?)
    /// By a new one.
    case make(ObjectEdit, zone: FlareID, AccessObject)
    /// Not yet: the place is not known, or has no zone for it.
    case wait
}

extension ControllerState {
    /// How a binding gets its thing, or why what it names is of no use.
    ///
    /// - Source: contrib/contract/bindings.md, "In the place".
    package func plan(_ wish: LinkWish, at now: Int64) -> Result<LinkPlan, Refusal> {
        guard isPlaceKnown, !isStale, environmentID != nil else { return .success(.wait) }
        let reader = reader(for: wish.caller, at: now)
        switch found(wish, reader) {
        case .failure(let refusal): return .failure(refusal)
        case .success(nil): return make(wish, reader)
        case .success(let thing?):
            let isMade = isMade(thing, for: wish)
            // Whoever owns a thing may call it like one that is to come.
            guard wish.thing != nil || isMade || !isShared(thing, wish, at: now) else {
                return wish.zone == nil ? .failure(shared(thing, wish)) : make(wish, reader)
            }
            return .success(link(thing, wish, isMade: isMade))
        }
    }

    /// Whether an onboarding made a thing for the binding, which was not stored.
    private func isMade(_ thing: FlareThing, for wish: LinkWish) -> Bool {
        wish.isMaking && thing.data[DataKey.binding]?.string == "\(wish.id)"
    }

    private func isShared(_ thing: FlareThing, _ wish: LinkWish, at now: Int64) -> Bool {
        people.isShared(accessObject(of: thing), by: wish.caller, with: wish.owners, at: now)
    }

    private func shared(_ thing: FlareThing, _ wish: LinkWish) -> Refusal {
        let slug = slugs[.thing, thing.id] ?? "\(thing.id)"
        return Refusal(
            .invalidValue,
            "thing \(slug) is called \(wish.vendor), but others own it, too; "
                + "name the thing that it is, or the zone for a new one",
            field: "thing"
        )
    }

    private func accessObject(of thing: FlareThing) -> AccessObject {
        .thing(thing.id, zone: thing.zone, environment: thing.environment ?? environmentID)
    }

    /// The things that are not in any environment any more; none while the place is not known.
    package func gone(of things: Set<FlareID>) -> Set<FlareID> {
        guard isLinkUp, isPlaceKnown, !isStale else { return [] }
        return things.filter { !isAnywhere(ObjectReference(.thing, $0)) }
    }

    private func found(_ wish: LinkWish, _ reader: Reader) -> Result<FlareThing?, Refusal> {
        if let name = wish.thing {
            let id = [FlareID(name), slugs.id(of: name, kind: .thing)].compactMap(\.self)
            guard let thing = id.compactMap({ things[$0] }).first(where: { reader.sees($0) }) else {
                return .failure(
                    Refusal(.unknownThing, "there is no thing \(QuotedValue.of(name)) here", field: "thing")
                )
            }
            guard !wish.taken.contains(thing.id) else {
                let message = "thing \(QuotedValue.of(name)) is linked to another vendorThingID"
                return .failure(Refusal(.invalidValue, message, field: "thing"))
            }
            return .success(thing)
        }
        let free = things.values.filter { !wish.taken.contains($0.id) && reader.sees($0) }
        let marked = free.filter { $0.data[DataKey.vendorThing]?.string == wish.vendor }
        let candidates =
            marked.isEmpty
            ? free.filter { $0.name == wish.vendor || slugs[.thing, $0.id] == wish.vendor } : marked
        guard candidates.count < 2 else {
            let names = candidates.map { slugs[.thing, $0.id] ?? "\($0.id)" }.sorted()
            let message = "several things are called \(wish.vendor): \(QuotedValue.list(names)); name one"
            return .failure(Refusal(.invalidValue, message, field: "thing"))
        }
        return .success(candidates.first)
    }

    private func link(_ thing: FlareThing, _ wish: LinkWish, isMade: Bool) -> LinkPlan {
        let model = profile(wish)
        return .link(
            thing.id,
            accessObject(of: thing),
            isMade: isMade,
            model: thing.data["oemModel"]?.string == model ? nil : model
        )
    }

    private func make(_ wish: LinkWish, _ reader: Reader) -> Result<LinkPlan, Refusal> {
        let zone: FlareID
        if let name = wish.zone {
            switch match(name, .zone, where: { id in zones[id].map { reader.sees($0) } ?? false }) {
            case .one(let id): zone = id
            case .none:
                let message = "there is no zone \(QuotedValue.of(name)) here"
                return .failure(Refusal(.invalidValue, message, field: "zone"))
            case .several(let slugs):
                let message = "several zones are called \(QuotedValue.of(name)): \(QuotedValue.list(slugs))"
                return .failure(Refusal(.invalidValue, message, field: "zone"))
            }
        } else {
            guard let zoneID, zones[zoneID] != nil else { return .success(.wait) }
            zone = zoneID
        }
        var edit = ObjectEdit()
        edit.name = wish.name
        let model = profile(wish)
        // What it has reported can be set at once.
        edit.data = wish.route.firstData(of: wish.state, hasKind: model != nil)
        edit.data[DataKey.vendorThing] = .string(wish.vendor)
        edit.data[DataKey.binding] = .string("\(wish.id)")
        if let model { edit.data["oemModel"] = .string(model) }
        let environment = zones[zone]?.environment ?? environmentID
        return .success(.make(edit, zone: zone, .zone(zone, environment: environment)))
    }

    /// The type, if a profile is called so.
    private func profile(_ wish: LinkWish) -> String? {
        wish.type.flatMap { catalog.names.contains($0) ? $0 : nil }
    }
}
