import Flare

/// Slugs for the zones and things of the environments where this device is not.
///
/// If they had none, somebody could make a thing here that gets the name of one that is only elsewhere, and with it what the
/// configuration says about that name.
extension PlaceReading {
    /// Reads the next environment whose objects may lack slugs, after the current one was read.
    mutating func nameElsewhere(in core: inout ControllerCore) {
        guard !elsewhere.isEmpty, core.state.isLinkUp, core.state.isPlaceKnown, !core.state.isStale,
            let next = elsewhere.next(besides: core.state.environmentID)
        else { return }
        core.load(.loadPlace(environment: next))
    }

    /// Gives slugs to what is new in another environment that was read.
    ///
    /// - Parameter privateNames: The names of what somebody who may not see everything is making now.
    func name(
        _ zones: [FlareZone],
        _ things: [FlareThing],
        of environment: FlareID,
        in core: inout ControllerCore,
        privateNames: [FlareClass: Set<String>]
    ) {
        let here = zones.filter { $0.environment ?? environment == environment }
        name(.zone, here, of: environment, in: &core, privateNames: privateNames)
        let inside = things.filter { $0.environment ?? environment == environment }
        name(.thing, inside, of: environment, in: &core, privateNames: privateNames)
    }

    private func name(
        _ kind: FlareClass,
        _ objects: [some PlaceObject],
        of environment: FlareID,
        in core: inout ControllerCore,
        privateNames: [FlareClass: Set<String>]
    ) {
        var gone: Set<FlareID>?
        for object in objects.sorted(by: { $0.id < $1.id }) {
            let (reference, name) = (ObjectReference(kind, object.id), object.name)
            let isNamed = core.state.slugs[kind, object.id] != nil
            if !isNamed, gone == nil {
                // What is missing in this environment may have moved to one that is still to be read.
                let present = elsewhere.isEmpty ? Set(objects.map(\.id)) : nil
                gone = Set(
                    core.state.slugs.objects(of: kind).filter { object in
                        isGone(object, in: core.state)
                            || present.map {
                                core.state.slugs.home(of: object) == environment && !$0.contains(object.id)
                            } ?? false
                    }.map(\.id)
                )
            }
            let slug = core.state.slugs.assign(
                to: reference,
                name: name,
                home: environment,
                isPrivate: !isNamed && privateNames[kind]?.contains(name) ?? false,
                gone: gone ?? []
            )
            if let slug { core.effects.append(.remember(.slug(slug, reference, home: environment))) }
        }
    }
}
