import Accounts
package import Bindings
package import Controller
import Flare
import History
package import JSON
package import People
import Things
import Web

/// States that things report, and what becomes of them.
///
/// - Source: contrib/contract/bindings.md, "States".
extension BindingService: ThingIFStates {
    package nonisolated func report(
        _ upload: StateUpload,
        to target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Bool, BindingsError> {
        do throws(BindingsError) {
            let entry = try await entry(target, .report, caller)
            let isItself = if case .thing = caller { true } else { false }
            let own = isItself ? address : nil
            return .success(try await accept(upload, of: entry, isHeard: isItself, from: own))
        } catch {
            return .failure(error)
        }
    }

    /// Takes states from the thing's own topic.
    ///
    /// - Parameter isRetained: Whether the broker has kept it: such a state is used, and is no sample.
    /// - Returns: Why it is refused; `nil` if it is taken.
    package nonisolated func report(
        _ upload: StateUpload,
        of thing: BindingID,
        isRetained: Bool
    ) async -> BindingsError? {
        do throws(BindingsError) {
            guard let entry = directory.entry(thing) else {
                throw .notOnboarded("the thing is not onboarded")
            }
            _ = try await accept(upload, of: entry, isHeard: true, isRetained: isRetained)
            return nil
        } catch {
            return error
        }
    }

    package nonisolated func state(
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        do throws(BindingsError) {
            let entry = try await entry(target, .read, caller)
            return .success(try await lastState(of: entry.id))
        } catch {
            return .failure(error)
        }
    }

    package nonisolated func history(
        _ query: HistoryQuery,
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        do throws(BindingsError) {
            let entry = try await entry(target, .read, caller)
            if case .thing = caller {
                throw .refused(.notAllowed, "a thing does not ask for its history; send a user's token")
            }
            return .success(try await answer(to: query, of: entry, for: caller))
        } catch {
            return .failure(error)
        }
    }

    // What uses the store is not done where the request or message is read.

    func lastState(of id: BindingID) throws(BindingsError) -> JSONObject {
        try withBindingsErrors { () throws(AccountsError) in try records.states.state(of: id) }
    }

    /// A state that cannot be stored is answered all the same, and stored when there is room.
    ///
    /// - Source: contrib/contract/bindings.md, "States": "While nothing can be stored".
    private func storeStates() { records.states.flush() }

    /// The binding that a target names, if somebody may do something with it.
    private nonisolated func entry(
        _ target: TargetName,
        _ need: BindingNeed,
        _ caller: BindingCaller
    ) async throws(BindingsError) -> BindingDirectory.Entry {
        guard let entry = directory.entry(target) else {
            throw .refused(.unknownThing, "there is no such thing")
        }
        // Of a thing only what it is counts, not where.
        let binding = if case .thing = caller { BindingAccess(entry.id) } else { await access(entry) }
        let verdict = accounts.table.verdict(of: caller, need, on: binding, at: now)
        guard case .refused(let reason) = verdict else { return entry }
        let what = need == .report ? "report the state of" : "read the states of"
        throw .refused(.notAllowed, "you may not \(what) thing \(entry.vendor): \(reason)")
    }

    // MARK: What is taken

    /// - Parameter address: That of the thing itself.
    /// - Returns: Whether it was the thing's first state.
    private nonisolated func accept(
        _ upload: StateUpload,
        of known: BindingDirectory.Entry,
        isHeard: Bool,
        isRetained: Bool = false,
        from address: String? = nil
    ) async throws(BindingsError) -> Bool {
        var entry = known
        if isHeard, entry.route != .edge {
            await reachAtEdge(entry.id)
            entry = directory.entry(entry.id) ?? entry
        }
        let isData = entry.route == .edge && entry.thing != nil
        if isData, let thing = entry.thing, !records.states.knowsFields(of: entry.id),
            let data = await place.data(thing)
        {
            records.states.noteFields(data, of: entry.id)
        }
        // What the broker has kept says nothing about when the thing spoke.
        let speaks = isHeard && !isRetained
        switch records.states.accept(upload, of: entry.id, isHeard: speaks, isData: isData, at: now) {
        case .tooMany: throw .tooManyStates(of: entry.vendor)
        case .tooLarge(let fields, let bytes):
            throw .refused(
                .tooLarge,
                "the data of thing \(entry.vendor) may have \(ReportedFields.most) fields and"
                    + " \(ReportedFields.mostBytes) bytes, with this state they would have \(fields) and \(bytes)"
            )
        case .accepted(let isFirst, let current):
            if !isRetained { record(upload.samples.map { Sample($0.state, at: $0.at) }, of: entry) }
            if let current, entry.route == .edge, let thing = entry.thing {
                send(
                    isRetained
                        ? .reported(thing, current.state) : .uploaded(thing, current.state, from: address)
                )
            }
            if isFirst { await storeStates() }
            return isFirst
        }
    }

    /// Keeps samples of a thing that has a history.
    private nonisolated func record(_ samples: [Sample], of entry: BindingDirectory.Entry) {
        guard case .success(let interval) = entry.history else { return }
        records.history?.record(samples, of: entry.id, interval)
    }

    // MARK: Things of the Flare server

    /// Begins with a thing that was linked just now: of one at the edge what it has reported becomes its data, of another
    /// one the data are noted, from which its changes are told.
    func beginStates(of id: BindingID) async {
        guard let entry = directory.entry(id), let thing = entry.thing else { return }
        switch entry.route {
        case .edge:
            guard let state = try? lastState(of: id), !state.isEmpty else { return }
            send(.reported(thing, state))
        case .flare:
            guard let data = await place.data(thing) else { return }
            records.states.begin(id, with: data.ofThing)
        }
    }

    /// Follows the data of things that the Flare server keeps: a confirmed change is a state, and a sample.
    ///
    /// Called on the node's loop, in the turn.
    package nonisolated func followStates(_ snapshot: StateSnapshot) {
        for case .object(let object) in snapshot.changes where object.kind == .thing {
            guard let entry = directory.entry(ofThing: object.id), entry.route == .flare,
                let thing = snapshot.state.things[object.id]
            else { continue }
            let (data, now) = (thing.data.ofThing, now)
            if records.states.follow(entry.id, data, at: now) { record([Sample(data, at: now)], of: entry) }
        }
    }
}

extension BindingsError {
    static func tooManyStates(of vendor: String) -> BindingsError {
        .refused(
            .rateLimited,
            "thing \(vendor) may report \(ReportedStates.perSecond) states a second,"
                + " and \(ReportedStates.atOnce) at once"
        )
    }
}

extension JSONObject {
    /// The state of a thing in its data: without what identifies it, and what says what it is.
    fileprivate var ofThing: JSONObject {
        filter { key, _ in !DataKey.isFixed(key, in: self) }
    }
}
