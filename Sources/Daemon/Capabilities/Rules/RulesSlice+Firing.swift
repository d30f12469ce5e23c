import Accounts
import Bindings
import Controller
import Flare
import JSON
import People
import Rules
import Text
import Things

/// Firings: they are stored, then their actions are done one after the other, and they end.
extension RulesSlice {
    /// Has done what the engine wants done.
    mutating func carryOut(
        _ outputs: [RuleOutput],
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        var effects: [SliceEffect] = []
        var stored: Set<Int> = []
        for output in outputs {
            switch output {
            case .fired(let firing):
                stored.insert(firing.rule)
                effects += fired(firing, in: core, at: now)
            case .stopped(let rule, let refusal, let partners):
                effects += stop(rule, refusal, partners, in: core, at: now)
            case .remembered(let rule):
                if !stored.contains(rule) { effects.append(remember(rule)) }
                // It may be due at another time.
                if let rule = rules[rule], rule.hasTimes { effects.append(.changed(.rule(rule.slug))) }
            case .switchedOff(let rule):
                setEnabled(false, rule)
                effects.append(.perform(.remember(.slice(SliceRecord(RuleRecord.switchedOff(rule))))))
                effects += setCeiling(nil, ofRule: rule) + (rules[rule].map { tell($0, "changed") } ?? [])
            case .rangeEnded(let rule):
                if ceilings[rule]?.isOfRange == true { effects += setCeiling(nil, ofRule: rule) }
            case .suspended(let rule, _), .resumed(let rule):
                isSuspensionShown = false
                if let slug = rules[rule]?.slug { effects.append(.changed(.rule(slug))) }
            }
        }
        return effects
    }

    /// What is stored of a rule for the next run.
    func memory(of rule: Int) -> JSONObject {
        var json = engine?.memory(of: rule)?.json ?? [:]
        json["ceiling"] = ceilings[rule]?.json
        return json
    }

    func memoryText(of rule: Int) -> String { JSONValue.object(memory(of: rule)).text }

    func remember(_ rule: Int) -> SliceEffect {
        .perform(.remember(.slice(SliceRecord(RuleRecord.memory(rule, memoryText(of: rule))))))
    }

    // MARK: The beginning

    private mutating func fired(
        _ firing: RuleFiring,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let rule = rules[firing.rule], let calendar = engine?.calendar else { return [] }
        guard mayRead(firing, of: rule, in: core, at: now) else { return [remember(firing.rule)] }
        guard !hasTooManyOpen(firing) else {
            return stop(firing.rule, .limited, [], in: core, at: now) + [remember(firing.rule)]
        }
        let number = nextFiring
        nextFiring += 1
        openFirings[firing.rule, default: 0] += 1
        firings[number] = OpenFiring(number, firing, of: rule, in: core, calendar, at: now)
        let row = StoredFiring(
            number,
            epoch: core.epoch,
            rule: firing.rule,
            at: firing.at,
            why: firing.why
        )
        let record = RuleRecord.fired(row, memory: memoryText(of: firing.rule))
        return forgetStops(at: now) + [
            .perform(.remember(.slice(SliceRecord(record)))), .changed(.ruleFired(number)),
        ]
    }

    /// Begins with the actions of firings, which are stored now.
    mutating func start(_ numbers: [Int64], in core: ControllerState, at now: Instant) -> [SliceEffect] {
        let ready = numbers.sorted().filter { firings[$0]?.isStarted == false }
        for number in ready {
            firings[number]?.isStarted = true
            firings[number]?.endIfTooLate(at: now)
        }
        return begin(ready, in: core, at: now)
    }

    // MARK: Actions

    /// Begins the next action of each firing.
    ///
    /// If two of them set the same of one thing, the later one alone does.
    mutating func begin(
        _ numbers: [Int64],
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        var effects: [SliceEffect] = []
        var numbers = numbers
        var again: [Int64] = []
        while !numbers.isEmpty {
            let superseding = superseding(among: numbers, in: core)
            for number in numbers {
                guard let action = firings[number]?.next else {
                    effects += end(number, at: now)
                    again += release(by: number)
                    continue
                }
                if let later = superseding[number] {
                    held[later, default: []].append(number)
                    continue
                }
                guard admitsAction() else {
                    deferred.append(number)
                    continue
                }
                do throws(Refusal) {
                    try admit(action, ofRule: firings[number]?.rule, in: core, at: now)
                    effects += try begin(action, of: number, in: core, at: now)
                } catch {
                    firings[number]?.end(error)
                    again += [number] + release(by: number)
                }
            }
            (numbers, again) = (again.sorted(), [])
        }
        return effects
    }

    private mutating func begin(
        _ action: RuleAction,
        of number: Int64,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) -> [SliceEffect] {
        guard let open = firings[number] else { return [] }
        var given = GivenAction(firing: number, index: open.nextIndex, began: now, event: event)
        switch action.work {
        case .drive(let drive, let target):
            let (operation, things) = try command(drive, target, of: open, in: core)
            given.things = things
            return [give(operation, given, of: open)]
        case .ceiling(let level):
            let change = SetCeiling(
                rule: open.firing.rule,
                level: level,
                isOfRange: action.timing == .range
            )
            return [give(Command.Operation(change), given, of: open)]
        case .publish(let value):
            try requireReading(open, in: core, at: now)
            return [handOver(.publication(slug: open.rule.slug, value), of: given)]
        case .notify(let notification):
            try requireReading(open, in: core, at: now)
            return [handOver(.message(open.message(notification, in: core)), of: given)]
        }
    }

    /// The command that an action is, with the things that it may change.
    private func command(
        _ drive: RuleAction.Drive,
        _ target: RuleTarget,
        of open: OpenFiring,
        in core: ControllerState
    ) throws(Refusal) -> (Command.Operation, [FlareID]) {
        let name: Command.Target
        let things: [FlareID]
        switch target {
        case .thing(let thing):
            name = .thing(thing.text)
            things = [thing.id].compactMap(\.self)
        case .zone(let zone):
            name = .zone(zone.text)
            things = core.things.values.filter { $0.zone == zone.id }.map(\.id)
        case .nearby:
            guard let thing = open.nearby else {
                throw Refusal(.noNearbyThing, "no thing was nearby when the rule fired")
            }
            name = .thing("\(thing)")
            things = [thing]
        }
        switch drive {
        case .set(let values):
            return (.set(name, ThingRequest(ofRule: values)), things)
        case .action(let action): return (.perform(action, by: name), things)
        case .command(let command):
            guard case .thing(let thing) = name else {
                throw Refusal(.unknownThing, "a command is for a thing, and not for a zone")
            }
            let run = RunActions(open.commandID, for: thing, command.request)
            return (Command.Operation(run), things)
        }
    }

    private mutating func give(
        _ operation: Command.Operation,
        _ given: GivenAction,
        of open: OpenFiring
    ) -> SliceEffect {
        var given = given
        given.operation = operation
        lastTicket -= 1
        self.given[lastTicket] = given
        chains.begin(given.things, open.firing.chain + [open.firing.rule])
        return .execute(
            Command(
                ticket: lastTicket,
                operation: operation,
                actor: .controller,
                caller: .user(open.rule.maker),
                source: open.source,
                owner: Self.self
            )
        )
    }

    // MARK: What came of them

    /// A command is answered.
    mutating func settle(
        _ given: GivenAction,
        _ answer: Answer,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        // What is answered in the same event was refused, or there was nothing to do.
        let hasEffect = answer.refusal == nil && given.event != event
        chains.end(given.things, hasEffect: hasEffect, at: now.steadyMilliseconds)
        var effects: [SliceEffect] = []
        if let open = firings[given.firing] {
            let record = CommandRecord(
                operation: given.operation,
                answer: answer,
                caller: .user(open.rule.maker),
                source: open.source,
                received: given.began,
                ended: now
            )
            effects.append(.perform(.log(record)))
        }
        if answer.refusal?.code == .rateLimited, let left = firings[given.firing]?.actionsLeft {
            // No further command would be performed.
            for _ in 1..<max(1, left) { firings[given.firing]?.end(answer.refusal) }
        }
        return effects + settle(given, answer.refusal ?? answer.incompleteness, in: core, at: now)
    }

    /// An action has ended.
    mutating func settle(
        _ given: GivenAction,
        _ refusal: Refusal?,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let later = firings[given.firing]?.rule else { return [] }
        firings[given.firing]?.end(refusal)
        let waiting = release(by: given.firing)
        // What the node has refused in the same event is not done; what fails later was on its way.
        let isRefused = refusal != nil && given.event == event
        if !isRefused {
            for number in waiting { firings[number]?.supersede(by: later, in: core, at: now) }
        }
        return begin(([given.firing] + waiting).sorted(), in: core, at: now)
    }

    private mutating func end(_ number: Int64, at now: Instant) -> [SliceEffect] {
        guard let open = firings[number] else { return [] }
        return end(open, open.outcome, at: now)
    }

    private mutating func end(
        _ open: OpenFiring,
        _ outcome: StoredFiring.Outcome,
        at now: Instant
    ) -> [SliceEffect] {
        firings[open.number] = nil
        let left = (openFirings[open.firing.rule] ?? 0) - 1
        openFirings[open.firing.rule] = left > 0 ? left : nil
        let results = JSONValue.array(open.results)
        let took = max(0, now.milliseconds(since: open.began))
        let record = RuleRecord.ended(
            open.number,
            outcome,
            results: results.text,
            tookMilliseconds: took
        )
        let last = LoadedRule.Last(
            at: open.firing.at,
            why: open.firing.why,
            outcome,
            failure: open.failure
        )
        rules[open.firing.rule]?.last = last
        let isTold = rules[open.firing.rule] != nil && open.hasFailed
        let details: JSONObject = [
            "seq": JSONValue(Int(open.number)), "why": .string(open.firing.why),
            "at": .string(Self.timestamp(open.firing.at)), "outcome": .string(outcome.rawValue),
            "results": results,
        ]
        let stored = SliceEffect.perform(.remember(.slice(SliceRecord(record))))
        let effects = [stored] + tell(open.rule, "fired", details)
        return isTold ? effects + [.changed(.ruleFailed(open.firing.rule))] : effects
    }

    /// The daemon stops: what has not ended by now never will.
    mutating func interrupt(at now: Instant) -> [SliceEffect] {
        guard !firings.isEmpty else { return [] }
        (given, held, chains) = ([:], [:], RuleChains())
        var effects: [SliceEffect] = []
        for number in firings.keys.sorted() {
            if let open = firings[number] { effects += end(open, .interrupted, at: now) }
        }
        return effects
    }
}

extension Answer {
    /// The first failed result of a command of a thing that ended `INCOMPLETE`; `nil` for any other answer.
    /// - Source: contrib/contract/bindings.md, "Life of a command".
    fileprivate var incompleteness: Refusal? {
        guard refusal == nil, let data, data["commandID"] != nil,
            data["state"]?.string == CommandState.incomplete.rawValue
        else { return nil }
        for case .object(let result) in data["actionResults"]?.array ?? [] {
            for (name, value) in result where value["succeeded"] == false {
                let outcome = ActionResult(
                    name,
                    isSucceeded: false,
                    errorMessage: value["errorMessage"]?.string
                ).outcome
                if case .failure(let failed) = outcome {
                    return Refusal(failed.code, "\(QuotedValue.clipped(name, to: 60)): \(failed.message)")
                }
            }
        }
        return Refusal(.serverRejected, "the command has not been carried out completely")
    }
}

extension OpenFiring {
    /// Who gives its commands, beside the maker of the rule, for the log.
    fileprivate var source: String { "\(RuleSource(firing.rule))" }

    /// The actions that have not ended.
    fileprivate var actionsLeft: Int { actions.count - results.count }

    /// The identifier of the command that its next action gives to a thing: no firing and no action has it again.
    fileprivate var commandID: String {
        "c.\(epoch).\(String(UInt64(clamping: number) &* 64 &+ UInt64(clamping: nextIndex), radix: 16))"
    }

    fileprivate func message(_ notification: RuleNotification, in core: ControllerState) -> RuleMessage {
        RuleMessage(
            rule: firing.rule,
            slug: rule.slug,
            maker: rule.maker,
            epoch: epoch,
            firing: number,
            at: firing.at,
            recipients: notification.recipients,
            channels: notification.channels,
            displays: core.lifecycle.attachedDisplays,
            subject: filled(notification.subject ?? RuleNotification.defaultSubject),
            text: filled(notification.text ?? RuleNotification.defaultText)
        )
    }

    /// A value may be anything, and displays and mailboxes are read by many.
    private func filled(_ text: RuleText) -> String {
        SecretMask.tokens.masked(text.filled { words[$0] ?? "" })
    }
}
