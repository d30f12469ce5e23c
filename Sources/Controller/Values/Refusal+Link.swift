import Flare
import Things

/// Refusals because of the link to the Flare server.
extension Refusal {
    static let unreachable = Refusal(
        .serverUnreachable,
        "the Flare server cannot be reached now; nothing was changed"
    )

    /// Nobody can say whether there is what was named.
    static let unread = Refusal(
        .serverUnreachable,
        "the Flare server could not be reached since the start, so nothing is known of the place"
    )

    /// The refusal of a command whose request failed.
    init(_ error: FlareLinkError, in state: ControllerState) {
        let code: RefusalCode =
            switch error {
            case .unreachable: .serverUnreachable
            case .timedOut: .timeout
            case .rejected: .serverRejected
            case .notAllowed: .notAllowed
            case .unknownObject(let object): object.kind == .environment ? .unknownEnvironment : .unknownThing
            }
        self.init(code, error.description(state.label))
    }
}
