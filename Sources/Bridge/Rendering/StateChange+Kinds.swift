import Controller

extension StateChange {
    var isAlert: Bool {
        if case .alert = self { true } else { false }
    }

    /// Whether it is a change of the model, and not of the view.
    var isObject: Bool {
        switch self {
        case .object, .occupancy: true
        default: false
        }
    }
}
