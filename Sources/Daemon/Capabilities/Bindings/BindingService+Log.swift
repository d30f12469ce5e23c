import Accounts
import Administration
import Bindings
import JSON
import People

/// Rows of the command log. They have names of members and of things, never a property, a password or a token.
extension BindingService {
    /// What is done, as the log and the verbs call it.
    enum Act: String, Sendable {
        case onboard = "thing onboard"
        case expect = "thing expect"
        case addOwner = "thing owner add"
        case removeOwner = "thing owner rm"
        case rotateToken = "thing token"
        case forget = "thing forget"
    }

    /// - Parameters:
    ///   - entry: The binding that it is about, if it is known.
    ///   - members: What was given, by name.
    nonisolated func log(
        _ act: Act,
        by requester: Requester,
        about entry: BindingDirectory.Entry?,
        _ members: [String] = [],
        _ error: BindingsError? = nil
    ) {
        var row = CommandLogEntry(
            at: now,
            interface: requester.interface,
            caller: logName(of: requester),
            kind: act.rawValue,
            state: error == nil ? "accepted" : "refused"
        )
        (row.epoch, row.source) = (settings.epoch, requester.address)
        row.target = entry?.thing.map { "\($0)" }
        row.slug = entry?.vendor
        if !members.isEmpty { row.actions = JSONValue.array(members.map { .string($0) }).text }
        row.code = error?.code
        row.isOfStranger = error != nil && requester.isStranger
        accounts.log(row)
    }

    /// Who asks, as the log calls them.
    nonisolated func logName(of requester: Requester) -> String {
        switch requester.identity {
        case .program(let user): user.map { "system:\($0)" } ?? "nobody"
        case .door(.user(let caller)): accounts.table.logName(of: caller)
        case .door(.thing(let id)): "thing:\(directory.entry(id)?.vendor ?? "\(id)")"
        case .door(.app), .door(.anonymous): settings.app.map { "app:\($0.id)" } ?? "nobody"
        case .edge(let speaker): "thing:\(speaker)"
        }
    }

    /// A user who signs in for a token.
    nonisolated func logSignIn(
        _ name: String,
        _ result: Result<IssuedToken, BindingsError>,
        from address: String?
    ) {
        var row = CommandLogEntry(
            at: now,
            interface: Requester.interface,
            caller: "nobody",
            kind: "sign in",
            state: "accepted"
        )
        (row.epoch, row.source) = (settings.epoch, address)
        // People type passwords into the wrong field: only names of users are written down.
        row.target = accounts.table.user(named: name) == nil ? nil : name
        switch result {
        case .success: row.caller = "user:\(name)"
        case .failure(let error):
            (row.state, row.code, row.isOfStranger) = ("refused", error.code, true)
            if error.code == "not_allowed" { row.code = "unauthenticated" }
        }
        accounts.log(row)
    }
}

extension BindingService.Requester {
    /// As the log calls programs for Thing-IF.
    static let interface = "thing-if"

    var interface: String {
        switch identity {
        case .door: interfaceName ?? Self.interface
        case .program: AdministrationSocket.interface
        case .edge: Interface.mqtt.rawValue
        }
    }

    /// Whether nobody knows who asks.
    fileprivate var isStranger: Bool {
        switch identity {
        case .program, .door(.user), .door(.thing): false
        case .door(.app), .door(.anonymous), .edge: true
        }
    }
}

extension OnboardingRequest {
    /// The members that were given, by name.
    var memberNames: [String] {
        let thing =
            switch thing {
            case .vendor: ["vendorThingID"]
            case .id: ["thingID"]
            case .endNode: ["gatewayThingID", "endNodeVendorThingID"]
            }
        let others: [(String, Bool)] = [
            ("owner", owner != nil), ("thingType", type != nil), ("firmwareVersion", firmware != nil),
            ("thingProperties", properties != nil), ("layoutPosition", layout != nil),
            ("dataGroupingInterval", interval != nil),
        ]
        return thing + ["thingPassword"] + others.filter(\.1).map(\.0)
    }
}
