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
    /// The thing that an owner has named, by slug or identifier.
    let thing: String?
    /// What a new thing is called.
    let name: String
    /// Where a new thing is made, by slug, identifier or name.
    let zone: String?
    /// Whether an owner has named that zone: the properties may be those that somebody else gave.
    let isZoneNamed: Bool
    /// Whether a thing is being made for it.
    let isMaking: Bool
    /// Whether nobody asks: its owners are judged then, all of them.
    let isWaiting: Bool
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
    ///   - binding: Its wish is what an owner says of the place.
    ///   - owners: Who is to own it.
    ///   - taken: Things that are linked to other bindings.
    ///   - state: What the thing has reported last.
    ///   - route: How orders reach a thing that is made for it.
    ///   - isWaiting: Whether nobody asks.
    package init(
        _ binding: ThingBinding,
        for caller: Caller,
        owners: Set<Grantee>,
        taken: Set<FlareID>,
        state: JSONObject,
        route: EdgeRoute,
        isWaiting: Bool = false
    ) {
        (id, vendor, type) = (binding.id, binding.vendor, binding.type)
        (isMaking, self.isWaiting) = (binding.isMaking, isWaiting)
        (self.owners, self.state, self.route) = (owners, state, route)
        thing = binding.wish.thing
        zone = binding.wish.zone ?? binding.properties["zone"]?.string
        isZoneNamed = binding.wish.zone != nil
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
        if let name = wish.thing {
            return named(name, wish, reader).map { link($0, wish, isMade: isMade($0, for: wish)) }
        }
        let free = things.values.filter { !wish.taken.contains($0.id) && reader.sees($0) }
        let marked = free.filter { $0.data[DataKey.vendorThing]?.string == wish.vendor }
        let candidates =
            marked.isEmpty
            ? free.filter { $0.name == wish.vendor || slugs[.thing, $0.id] == wish.vendor } : marked
        guard let thing = candidates.first else { return make(wish, reader, at: now) }
        let made = candidates.filter { isMade($0, for: wish) }
        if made.count == 1, let thing = made.first { return .success(link(thing, wish, isMade: true)) }
        // Whoever may write can call things like one that is to come: they get nothing by it, and stop nobody who says
        // where that one is to be.
        let refusal: Refusal? =
            candidates.count > 1
            ? several(candidates, wish) : isShared(thing, wish, at: now) ? shared(thing, wish) : nil
        if wish.isZoneNamed, refusal != nil || !isOwned(accessObject(of: thing), wish, at: now) {
            return make(wish, reader, at: now)
        }
        if let refusal { return .failure(refusal) }
        return .success(link(thing, wish, isMade: false))
    }

    /// Whether an onboarding made a thing for the binding, which was not stored.
    private func isMade(_ thing: FlareThing, for wish: LinkWish) -> Bool {
        wish.isMaking && thing.data[DataKey.binding]?.string == "\(wish.id)"
    }

    private func isShared(_ thing: FlareThing, _ wish: LinkWish, at now: Int64) -> Bool {
        people.isShared(accessObject(of: thing), by: wish.caller, with: wish.owners, at: now)
    }

    /// Whether who asks owns an object, or all owners of a binding that waits do.
    private func isOwned(_ object: AccessObject, _ wish: LinkWish, at now: Int64) -> Bool {
        guard wish.isWaiting else {
            return people.verdict(of: wish.caller, .own, on: object, at: now).isGranted
        }
        return wish.owners.allSatisfy { people.allMay($0, .own, on: object, at: now) }
    }

    private func several(_ candidates: [FlareThing], _ wish: LinkWish) -> Refusal {
        let names = candidates.map { slugs[.thing, $0.id] ?? "\($0.id)" }.sorted()
        return Refusal(
            .invalidValue,
            "several things are called \(wish.vendor): \(QuotedValue.list(names)); name one, or the zone for a new one",
            field: "thing"
        )
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

    /// The thing that an owner has named.
    private func named(_ name: String, _ wish: LinkWish, _ reader: Reader) -> Result<FlareThing, Refusal> {
        let ids = [FlareID(name), slugs.id(of: name, kind: .thing)].compactMap(\.self)
        guard let thing = ids.compactMap({ things[$0] }).first(where: { reader.sees($0) }) else {
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

    private func link(_ thing: FlareThing, _ wish: LinkWish, isMade: Bool) -> LinkPlan {
        let model = profile(wish)
        return .link(
            thing.id,
            accessObject(of: thing),
            isMade: isMade,
            model: thing.data["oemModel"]?.string == model ? nil : model
        )
    }

    private func make(_ wish: LinkWish, _ reader: Reader, at now: Int64) -> Result<LinkPlan, Refusal> {
        let zone: FlareID
        switch self.zone(wish, reader, at: now) {
        case .failure(let refusal): return .failure(refusal)
        case .success(nil): return .success(.wait)
        case .success(let id?): zone = id
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

    /// Where a thing is made; `nil` if there is no such place now.
    private func zone(_ wish: LinkWish, _ reader: Reader, at now: Int64) -> Result<FlareID?, Refusal> {
        let current = zoneID.flatMap { zones[$0] == nil ? nil : $0 }
        guard let name = wish.zone else { return .success(current) }
        let match = match(name, .zone, where: { id in zones[id].map { reader.sees($0) } ?? false })
        // Whoever owns a zone owns what is made in it: one that somebody else gave counts only if it is the owner's own.
        guard wish.isZoneNamed else {
            guard case .one(let id) = match, let zone = zones[id],
                isOwned(.zone(id, environment: zone.environment ?? environmentID), wish, at: now)
            else { return .success(current) }
            return .success(id)
        }
        switch match {
        case .one(let id): return .success(id)
        case .none:
            let message = "there is no zone \(QuotedValue.of(name)) here"
            return .failure(Refusal(.invalidValue, message, field: "zone"))
        case .several(let slugs):
            let message = "several zones are called \(QuotedValue.of(name)): \(QuotedValue.list(slugs))"
            return .failure(Refusal(.invalidValue, message, field: "zone"))
        }
    }

    /// The type, if a profile is called so.
    private func profile(_ wish: LinkWish) -> String? {
        wish.type.flatMap { catalog.names.contains($0) ? $0 : nil }
    }
}
