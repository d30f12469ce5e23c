import Flare
import People

/// The short names of what somebody makes.
extension DeviceController {
    /// Names a new object at once, if its maker may not see everything, or if it is in another environment.
    ///
    /// A number after the slug would tell the maker of a hidden object of this name. What is elsewhere is not read now.
    mutating func nameNew(_ object: ObjectReference, _ name: String, home: FlareID?, by speaker: Speaker?) {
        // What is in no environment is never shown, and has no slug; nor has a device.
        guard object.kind != .device, home != nil || object.kind == .environment else { return }
        let isPrivate = !seesEverything(speaker)
        guard isPrivate || home != nil && home != state.environmentID,
            let slug = state.slugs.assign(to: object, name: name, home: home, isPrivate: isPrivate)
        else { return }
        effects.append(.remember(.slug(slug, object, home: home)))
    }

    /// Whether somebody who may not see everything is making an object of this name now.
    func isMadePrivately(_ kind: FlareClass, _ name: String) -> Bool {
        pending.edits.contains { edit in
            guard case .create(kind, let new, _, _) = edit.request, new.name == name else { return false }
            return !seesEverything(edit.pending.command.speaker)
        }
    }

    private func seesEverything(_ speaker: Speaker?) -> Bool {
        state.reader(for: speaker, at: now.wallMilliseconds)?.seesEverything ?? true
    }
}
