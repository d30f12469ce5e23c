import Flare

/// Slugs for the zones and things of the environments where this device is not.
///
/// If they had none, somebody could make a thing here that gets the name of one that is only elsewhere, and with it what the
/// configuration says about that name.
extension DeviceController {
    /// Reads the next environment whose objects may lack slugs, after the current one was read.
    mutating func nameElsewhere() {
        guard !reading.elsewhere.isEmpty, state.isLinkUp, state.isPlaceKnown, !state.isStale,
            let next = reading.elsewhere.next(besides: state.environmentID)
        else { return }
        core.load(.loadPlace(environment: next))
    }

    /// Gives slugs to what is new in another environment that was read.
    mutating func name(_ zones: [FlareZone], _ things: [FlareThing], of environment: FlareID) {
        name(
            .zone,
            zones.filter { $0.environment ?? environment == environment }.map { ($0.id, $0.name) },
            of: environment
        )
        name(
            .thing,
            things.filter { $0.environment ?? environment == environment }.map { ($0.id, $0.name) },
            of: environment
        )
    }

    private mutating func name(
        _ kind: FlareClass,
        _ objects: [(id: FlareID, name: String)],
        of environment: FlareID
    ) {
        var gone: Set<FlareID>?
        for (id, name) in objects.sorted(by: { $0.id < $1.id }) {
            let reference = ObjectReference(kind, id)
            let isNamed = state.slugs[kind, id] != nil
            if !isNamed, gone == nil {
                // What is missing in this environment may have moved to one that is still to be read.
                let present = reading.elsewhere.isEmpty ? Set(objects.map(\.id)) : nil
                gone = Set(
                    state.slugs.objects(of: kind).filter { object in
                        isGone(object)
                            || present.map {
                                state.slugs.home(of: object) == environment && !$0.contains(object.id)
                            } ?? false
                    }.map(\.id)
                )
            }
            let slug = state.slugs.assign(
                to: reference,
                name: name,
                home: environment,
                isPrivate: !isNamed && isMadePrivately(kind, name),
                gone: gone ?? []
            )
            if let slug { effects.append(.remember(.slug(slug, reference, home: environment))) }
        }
    }
}
