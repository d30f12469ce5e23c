package import Accounts
import Administration
import Controller
import Flare
package import FlareServer
import JSON
import People
import Resolution
import Settings
import Text
import Things
import Threading

extension FlareBackend {
    /// Asks a node's users and policies about what clients of the embedded server want.
    ///
    /// What comes over the node's own connection was asked already.
    func ask(
        _ accounts: AccountsRegistry,
        _ flare: TrilateralConfiguration.Platform,
        _ runtime: NodeRuntime,
        epoch: String,
        clock: @escaping @Sendable () -> Instant
    ) {
        guard case .embedded(_, let hub) = self else { return }
        hub.restrict(FlareAccess(flare, accounts, clock: clock))
        accounts.onChange { [weak hub] in
            hub?.executor.perform { [weak hub] in hub?.onExecutor { $0.accessChanged() } }
        }
        let gate: ClientChangeGate = { [weak runtime] change in
            let request = ChangeRequest(
                change,
                by: accounts.identify(change.visitor.claim),
                at: clock().wallMilliseconds
            )
            return runtime?.onExecutor { $0.refusal(of: change, request) }
        }
        let log = FlareLog(accounts, epoch: epoch, clock: clock)
        hub.executor.perform {
            hub.onExecutor { hub in
                hub.add(gate: gate)
                hub.add { [weak runtime] change, reason in
                    let object = change.object
                    let slug = runtime?.onExecutor { $0.state.slugs[object.kind, object.id] }
                    log.record(change, reason, slug: slug)
                }
                hub.add(recorder: log.record)
                hub.add(insertionRecorder: { [weak runtime] record, visitor in
                    runtime?.send(
                        .objectMade(
                            record.reference,
                            name: record.members["name"]?.string ?? "",
                            home: record.kind == .environment ? nil : record.environment,
                            by: accounts.identify(visitor.claim)
                        )
                    )
                })
            }
        }
    }
}

extension NodeRuntime {
    /// Why a client's change is refused; `nil` if it is allowed.
    fileprivate func refusal(of change: ClientChange, _ request: ChangeRequest) -> String? {
        // A new object is not there to be driven yet.
        guard change.kind != .insert else { return rightsRefusal(of: request)?.message }
        if let refusal = refusal(of: request) { return refusal.message }
        var edit = request
        edit.kind = .edit
        // Who owns an object may change everything of it; others may drive it.
        guard let refusal = rightsRefusal(of: edit), let what = change.beyondDriving(in: state) else {
            return nil
        }
        return "\(what): \(refusal.message)"
    }
}

extension ClientChange {
    /// In words, what of the change does more than to drive the object; `nil` if the change only drives it.
    ///
    /// A value that no command would store does not drive. The data of an environment and of a zone are part of the place; a device has no owner of its own.
    fileprivate func beyondDriving(in state: ControllerState) -> String? {
        func changes(_ what: String) -> String {
            "\(QuotedValue.of(what)) changes what this \(object.kind.rawValue) is"
        }
        guard object.kind != .device else { return nil }
        guard object.kind == .thing else {
            switch kind {
            case .setData(let values): return values.keys.min().map(changes)
            case .performAction(let name): return BuiltInAction(rawValue: name).map { changes($0.rawValue) }
            case .setPosition, .update, .remove, .insert: return nil
            }
        }
        guard let thing = FlareThing(json: object.json) else { return nil }
        let shape = state.shape(of: thing)
        switch kind {
        case .setData(let values):
            if let key = shape.firstNotDriving(values, thing) { return changes(key) }
            return shape.firstIllegal(values, thing).map {
                "this thing does not accept \(QuotedValue.of(values[$0] ?? .null)) as its \(QuotedValue.of($0))"
            }
        case .performAction(let name):
            guard !shape.isDriving(action: name, thing) else { return nil }
            let isKnown = BuiltInAction(rawValue: name) != nil
            return isKnown ? changes(name) : "this thing does not offer \(QuotedValue.of(name))"
        case .setPosition, .update, .remove, .insert: return nil
        }
    }
}

extension FlareAccess {
    init(
        _ flare: TrilateralConfiguration.Platform,
        _ accounts: AccountsRegistry,
        clock: @escaping @Sendable () -> Instant
    ) {
        let networks = flare.trustedNetworks.compactMap { NetworkRange($0) }
        // What who brings a claim may do now; `nil` for nobody.
        @Sendable func check(_ claim: Claim) -> ((Access, AccessObject) -> Bool)? {
            guard let caller = accounts.identify(claim) else { return nil }
            let (table, now) = (accounts.table, clock().wallMilliseconds)
            return { table.verdict(of: caller, $0, on: $1, at: now).isGranted }
        }
        self.init(
            flare.access,
            isTrusted: { address in
                guard !networks.isEmpty, let peer = PeerAddress(address) else { return false }
                return networks.contains { $0.contains(peer) }
            },
            identify: accounts.identify,
            sees: { claim, object in check(claim)?(.read, object) ?? false },
            rights: { claim in
                guard let may = check(claim) else { return .none }
                return FlareRights(readsPlace: may(.read, .everything), readsDevices: may(.read, .devices))
            }
        )
    }
}

/// Writes the changes of clients of the embedded server to the command log.
private final class FlareLog: Sendable {
    /// Positions of one object by one client are a row in this time, milliseconds.
    private static let pause: Int64 = 60_000
    /// Most moving objects that are remembered.
    private static let most = 10_000

    private struct Mover: Hashable {
        let visitor: FlareVisitor
        let object: FlareID
    }

    private let accounts: AccountsRegistry
    private let epoch: String
    private let clock: @Sendable () -> Instant
    private let moves = Locked<[Mover: Int64]>([:])

    init(_ accounts: AccountsRegistry, epoch: String, clock: @escaping @Sendable () -> Instant) {
        (self.accounts, self.epoch, self.clock) = (accounts, epoch, clock)
    }

    /// - Parameter reason: Why it was refused; `nil` if it was allowed.
    func record(_ change: ClientChange, _ reason: String?, slug: String?) {
        let now = clock()
        if case .setPosition = change.kind, reason == nil, !isDue(change, now.steadyMilliseconds) { return }
        let caller = accounts.identify(change.visitor.claim)
        var entry = CommandLogEntry(
            at: now.wallMilliseconds,
            interface: "flare",
            caller: caller.map(accounts.table.logName) ?? "nobody",
            kind: change.logName,
            state: reason == nil ? "accepted" : "refused"
        )
        (entry.epoch, entry.source) = (epoch, change.visitor.address)
        (entry.target, entry.slug) = ("\(change.object.id)", slug)
        entry.actions = change.content.text
        // Others on this machine must not push out what users did.
        entry.isOfStranger = reason != nil && (caller == nil || change.visitor.claim == .unnamed(.flare))
        if reason != nil { entry.code = caller == nil ? "unauthenticated" : "not_allowed" }
        accounts.log(entry)
    }

    /// An import, or a removal of orphans.
    func record(_ change: ModelChange) {
        var entry = CommandLogEntry(change, at: clock().wallMilliseconds)
        entry.epoch = epoch
        accounts.log(entry)
    }

    private func isDue(_ change: ClientChange, _ now: Int64) -> Bool {
        let mover = Mover(visitor: change.visitor, object: change.object.id)
        return moves.withLock { moves in
            if let last = moves[mover], now - last < Self.pause { return false }
            if moves.count >= Self.most { moves = [:] }
            moves[mover] = now
            return true
        }
    }
}

extension CommandLogEntry {
    /// A row for an import, or a removal of orphans.
    package init(_ change: ModelChange, at time: Int64) {
        let (kind, mode): (String, ModelImportMode?) =
            switch change.kind {
            case .import(let mode): ("import", mode)
            case .tidy: ("tidy", nil)
            }
        self.init(
            at: time,
            interface: AdministrationSocket.interface,
            caller: change.user.map { "system:\($0)" } ?? "nobody",
            kind: kind,
            state: "accepted"
        )
        var content: JSONObject = ["objects": JSONValue(change.objects)]
        content["mode"] = mode.map { .string($0.rawValue) }
        actions = JSONValue.object(content).text
    }
}

extension ClientChange {
    /// As the log calls a command that does the same.
    fileprivate var logName: String {
        switch kind {
        case .setData: "set"
        case .setPosition: "move"
        case .performAction: "action"
        case .update: object.kind.logName(.edit)
        case .remove: object.kind.logName(.remove)
        case .insert: object.kind.logName(.add)
        }
    }

    fileprivate var content: JSONValue {
        switch kind {
        case .setData(let values): .object(values)
        case .setPosition(let position): position.json
        case .performAction(let name): ["action": .string(name)]
        case .update(let members): .object(members.logged)
        case .insert: .object(object.members.logged)
        // What is in it goes, too.
        case .remove: ["contents": true]
        }
    }
}
