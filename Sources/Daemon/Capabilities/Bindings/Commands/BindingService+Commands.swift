import Accounts
package import Bindings
package import Controller
import Flare
package import JSON
import Logging
package import People
import Text
import Things
import Threading
import Web

/// Commands over HTTP.
///
/// - Source: contrib/contract/bindings.md, "Commands".
extension BindingService: ThingIFCommands {
    package func give(
        _ request: CommandRequest,
        to target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<String, BindingsError> {
        do throws(BindingsError) {
            let entry = try known(target)
            try Self.requireOwner(entry)
            try await checkCommands(.write, of: entry, for: caller)
            guard case .user(let user) = caller else {
                throw .refused(.notAllowed, "commands are given by users")
            }
            let issuer = try await issuer(request.issuer, user, of: entry)
            let requester = Requester(identity: .door(caller), address: address)
            return .success(try await give(request, to: entry, issuer: issuer, by: requester))
        } catch {
            return .failure(error)
        }
    }

    /// Gives a command, for which rights were asked.
    ///
    /// - Returns: Its identifier, once it is stored.
    func give(
        _ request: CommandRequest,
        to entry: BindingDirectory.Entry,
        issuer: Grantee?,
        by requester: Requester
    ) async throws(BindingsError) -> String {
        try Self.requireOwner(entry)
        guard let thing = entry.thing else {
            throw .refused(.unknownThing, Self.notInPlace(entry.vendor))
        }
        // What is stored here, others may read.
        guard !SecretMask.tokens.finds(in: .array(request.actions.map(\.json))),
            !SecretMask.tokens.finds(in: .object(request.metadata ?? [:])),
            ![request.title, request.description, request.schema].contains(where: {
                SecretMask.tokens.finds(in: $0 ?? "")
            })
        else { throw .refused(.invalidValue, "there is a token in the command, where none belongs") }
        let run = RunActions(
            Self.newName("c"),
            for: entry.vendor,
            request,
            from: .init(
                binding: entry.id,
                thing: thing,
                issuer: issuer,
                interface: requester.interface,
                speaker: logName(of: requester)
            )
        )
        guard let answer = await place.give(Command.Operation(run), requester.caller, requester.address)
        else {
            throw .refused(.timeout, "the command was not taken up in time; try again")
        }
        if let refusal = answer.refusal { throw .refused(refusal) }
        return run.id
    }

    private static func notInPlace(_ vendor: String) -> String {
        "thing \(vendor) is not in the place yet; `trilateral thing onboard` with --thing or --zone puts it there"
    }

    package func commands(
        of target: TargetName,
        limit: Int,
        after key: String?,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        do throws(BindingsError) {
            let entry = try known(target)
            try await checkCommands(.read, of: entry, for: caller)
            guard let list = list(entry) else { return .success(["commands": []]) }
            var page = try list.page(limit, after: key)
            if await fetched(page.entries, of: entry, by: caller) { page = try list.page(limit, after: key) }
            let isForThing = caller == .thing(entry.id)
            let commands = page.entries.map { JSONValue.object(list.json($0, isForThing: isForThing)) }
            var body: JSONObject = ["commands": .array(commands)]
            body["nextPaginationKey"] = page.next.map { .string($0) }
            return .success(body)
        } catch {
            return .failure(error)
        }
    }

    package func command(
        _ id: String,
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        do throws(BindingsError) {
            let entry = try known(target)
            try await checkCommands(.read, of: entry, for: caller)
            // What was set without a command may still wait to be written.
            guard let list = list(entry) else { throw Self.noCommand(id) }
            let stored = try list.entry(id)
            if let kept = await unstored(id, stored, in: list, of: entry, for: caller) {
                return .success(kept)
            }
            guard var found = stored else { throw Self.noCommand(id) }
            if await fetched([found], of: entry, by: caller) { found = try list.entry(id) ?? found }
            return .success(list.json(found, isForThing: caller == .thing(entry.id)))
        } catch {
            return .failure(error)
        }
    }

    package func answer(
        _ id: String,
        of target: TargetName,
        with results: JSONValue,
        by caller: BindingCaller
    ) async -> Result<Void, BindingsError> {
        do throws(BindingsError) {
            let entry = try known(target)
            try await checkCommands(.results, of: entry, for: caller)
            let stored = try await command(id, of: entry)
            let report: [ActionResult]
            do throws(Refusal) {
                report = try ActionResult.results(results, of: stored.command.request.actions)
            } catch {
                throw .refused(error)
            }
            send(
                BindingsSlice.event(.reported(.ofActions(report), stored: stored, order: orders[id]))
            )
            // Stored before the answer leaves.
            _ = await place.command(id)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// A command that is another one by now than its row, which cannot be stored while the disk is full.
    ///
    /// - Returns: `nil` if the row will do.
    private func unstored(
        _ id: String,
        _ row: CommandLogEntry?,
        in list: CommandList,
        of entry: BindingDirectory.Entry,
        for caller: BindingCaller
    ) async -> JSONObject? {
        guard var kept = await place.command(id), kept.command.thing == entry.id, kept.target == list.thing,
            row?.state != kept.command.state.rawValue
        else { return nil }
        if caller == .thing(entry.id), entry.route == .edge, kept.command.state == .sending {
            send(BindingsSlice.event(.delivered([id])))
            kept = await place.command(id) ?? kept
        }
        // As it would be stored.
        return SecretMask.tokens.masked(.object(kept.json(isForThing: caller == .thing(entry.id)))).object
    }

    // MARK: What a request names

    private nonisolated func known(_ target: TargetName) throws(BindingsError) -> BindingDirectory.Entry {
        guard let entry = directory.entry(target) else { throw Self.noThing }
        return entry
    }

    private static let noThing = BindingsError.refused(.unknownThing, "there is no such thing")

    private static func noCommand(_ id: String) -> BindingsError {
        .refused(.unknownCommand, "the thing has no command \(QuotedValue.of(id))")
    }

    private static func requireOwner(_ entry: BindingDirectory.Entry) throws(BindingsError) {
        guard !entry.isOwned else { return }
        throw .refused(.noOwner(entry.vendor))
    }

    /// Refuses who may not do something with the commands of a thing; what a user may not see is not there.
    private func checkCommands(
        _ need: BindingNeed,
        of entry: BindingDirectory.Entry,
        for caller: BindingCaller
    ) async throws(BindingsError) {
        let verdict = accounts.table.verdict(of: caller, need, on: await access(entry), at: now)
        guard case .refused(let reason) = verdict else { return }
        throw .refused(
            .notAllowed,
            need == .results
                ? "the thing alone answers its commands" : "you may not \(need) this thing: \(reason)"
        )
    }

    /// Who is to hear of the end: the caller, or a group of the caller that may write the thing itself.
    private func issuer(
        _ name: OwnerName?,
        _ caller: Caller,
        of entry: BindingDirectory.Entry
    ) async throws(BindingsError) -> Grantee? {
        guard case .user(let user, _) = caller else { return nil }
        guard let name else { return .user(user) }
        let requester = Requester(identity: .door(.user(caller)), address: nil)
        let issuer = try grantee(name, for: requester, as: "issuer")
        let table = accounts.table
        guard table.includes(user, in: issuer) else {
            throw .refused(.notAllowed, "issuer must be you, or a group that you are in", field: "issuer")
        }
        if case .group = issuer {
            let place = await access(entry).thing
            guard let place, table.isGiven(.write, to: issuer, on: place, at: now) else {
                throw .refused(
                    .notAllowed,
                    "the group that is the issuer may not write the thing",
                    field: "issuer"
                )
            }
        }
        return issuer
    }

    /// `nil` for what is not in the place, and so has no commands.
    private func list(_ entry: BindingDirectory.Entry) -> CommandList? {
        // What was set just before is in the list; what cannot be written now comes later.
        try? accounts.flush()
        return entry.thing.map { CommandList(binding: entry.id, thing: $0, store: accounts.store) }
    }

    /// Notes which commands a thing at the edge has fetched.
    ///
    /// - Returns: Whether that has changed any.
    private func fetched(
        _ entries: [CommandLogEntry],
        of entry: BindingDirectory.Entry,
        by caller: BindingCaller
    ) async -> Bool {
        guard caller == .thing(entry.id), entry.route == .edge else { return false }
        let ids = entries.filter { $0.state == CommandState.sending.rawValue }.compactMap(\.id)
        guard let last = ids.last else { return false }
        send(BindingsSlice.event(.delivered(ids)))
        _ = await place.command(last)
        return true
    }

    /// A command of a thing as it is now, for whoever may see everything.
    func command(
        _ id: String,
        of entry: BindingDirectory.Entry
    ) async throws(BindingsError) -> StoredThingCommand {
        if let running = await place.command(id) {
            guard running.command.thing == entry.id else { throw Self.noCommand(id) }
            return running
        }
        let row = try withBindingsErrors { () throws(AccountsError) in
            try accounts.store.logRow(ofCommand: id)
        }
        guard let stored = row.flatMap(StoredThingCommand.init), stored.command.thing == entry.id else {
            throw Self.noCommand(id)
        }
        return stored
    }
}

// MARK: - Over the broker

extension BindingService {
    /// An order leaves for a thing at the edge: its results name what was sent.
    package nonisolated func sent(_ order: EdgeOrder) { orders.add(order) }

    /// The broker has a command.
    package nonisolated func delivered(_ commandID: String) {
        send(BindingsSlice.event(.delivered([commandID])))
    }

    /// Takes what a thing at the edge has answered to a command, or to what was set without one.
    ///
    /// - Returns: Why it is refused; `nil` if it counts.
    package func results(_ report: CommandReport, of thing: BindingID) async -> BindingsError? {
        do throws(BindingsError) {
            guard let entry = directory.entry(thing) else { throw Self.noThing }
            let id = report.commandID
            let order = orders[id].flatMap { $0.thing == entry.thing ? $0 : nil }
            guard let order, order.batch == nil else {
                let stored = try await command(id, of: entry)
                let answer = try Self.answer(report, to: stored.command, order)
                send(BindingsSlice.event(.reported(answer, stored: stored, order: order)))
                return nil
            }
            let results = order.results(try Self.results(report, of: order.sentActions))
            send(.edge(order.thing, .answered(order.number, results.map(\.outcome))))
            return nil
        } catch {
            return error
        }
    }

    /// - Parameter order: What was sent; `nil` if that is not known any more.
    private static func answer(
        _ report: CommandReport,
        to command: ThingCommand,
        _ order: EdgeOrder?
    ) throws(BindingsError) -> BindingsSlice.Report {
        guard let order else { return .ofActions(try results(report, of: command.request.actions)) }
        return .ofOrders(order.results(try results(report, of: order.sentActions)))
    }

    private static func results(
        _ report: CommandReport,
        of actions: [CommandAction]
    ) throws(BindingsError) -> [ActionResult] {
        do throws(Refusal) { return try report.results(of: actions) } catch { throw .refused(error) }
    }

    // MARK: The start

    /// Tells the controller which things have bindings, also from now on, and which commands of earlier runs wait.
    package func beginCommands() {
        // Most changes of a binding are none to the controller.
        let sent = Locked<[BindingID: BindingsSlice.Bound]>([:])
        directory.onChange { [weak directory, send] id in
            let bound = directory?.entry(id).flatMap(BindingsSlice.Bound.init)
            let isOther = sent.withLock { sent in
                defer { sent[id] = bound }
                return sent[id] != bound
            }
            if isOther { send(BindingsSlice.event(.binding(id, bound))) }
        }
        let all = directory.entries.compactMap(BindingsSlice.Bound.init)
        sent.withLock { sent in for bound in all { sent[bound.id] = bound } }
        send(BindingsSlice.event(.bindings(all)))
        do throws(AccountsError) {
            let commands = try accounts.store.openCommands()
            guard !commands.isEmpty else { return }
            let atEdge = commands.filter { directory.entry($0.command.thing)?.route == .edge }
            send(BindingsSlice.event(.restored(commands, atEdge: Set(atEdge.map(\.command.id)))))
        } catch {
            logger.error("the commands of the last run cannot be read", metadata: ["error": "\(error)"])
        }
    }
}

extension BindingsSlice.Bound {
    /// `nil` for a binding that is linked to no thing.
    fileprivate init?(_ entry: BindingDirectory.Entry) {
        guard let thing = entry.thing else { return nil }
        self.init(entry.id, thing: thing, isOwned: entry.isOwned)
    }
}
