import Controller
import Flare

/// Which things are announced at present.
extension DiscoveryConfiguration {
    func wants(_ thing: FlareThing, in state: ControllerState) -> Bool {
        switch settings.things {
        case .all: true
        case .zone: state.zoneID != nil && thing.zone == state.zoneID
        case .nearby: thing.id == state.nearbyID
        case .none: false
        }
    }

    /// The object that the selection depends on; `nil` when it depends on none, or there is none.
    func choice(in state: ControllerState) -> FlareID? {
        switch settings.things {
        case .all, .none: nil
        case .zone: state.zoneID
        case .nearby: state.nearbyID
        }
    }
}
