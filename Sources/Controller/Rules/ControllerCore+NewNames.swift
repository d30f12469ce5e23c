import Flare
import People

/// The short names of what somebody makes.
extension ControllerCore {
    /// Names a new object at once, if its maker may not see everything, or if it is in another environment.
    ///
    /// A number after the slug would tell the maker of a hidden object of this name. What is elsewhere is not read now.
    mutating func nameNew(_ object: ObjectReference, _ name: String, home: FlareID?, by caller: Caller?) {
        // What is in no environment is never shown, and has no slug; nor has a device.
        guard object.kind != .device, home != nil || object.kind == .environment else { return }
        let isPrivate = !seesEverything(caller)
        guard isPrivate || home != nil && home != state.environmentID,
            let slug = state.slugs.assign(to: object, name: name, home: home, isPrivate: isPrivate)
        else { return }
        effects.append(.remember(.slug(slug, object, home: home)))
    }

    /// Whether somebody may see everything.
    func seesEverything(_ caller: Caller?) -> Bool {
        state.reader(for: caller, at: now.wallMilliseconds).seesEverything
    }
}
