package import JSON
package import People

/// A command of one thing from the request to its end, and beyond: a late result still counts.
///
/// - Source: contrib/contract/bindings.md, "Life of a command".
package struct ThingCommand: Sendable, Hashable {
    package enum Event: Sendable, Hashable {
        /// The server or the broker has it, or the thing has fetched it.
        case delivered
        /// One action has a result.
        case answered(Int, ActionResult)
        /// The thing has answered all actions, in order.
        case reported([ActionResult])
        /// The deadline has passed.
        case due
        /// The thing is offline, so nothing was sent.
        case offline
        /// The program was restarted, and nobody knows what became of what was sent.
        case restarted
    }

    package enum Effect: Sendable, Hashable {
        /// The command has changed and must be stored.
        case store
        /// It has ended, which happens once: its issuer gets the answer, on their installations too.
        case end
    }

    /// Why actions without a result have none, in a command that has ended.
    package enum Cause: String, Sendable, Hashable, CaseIterable {
        case timeout, offline, restarted
    }

    package let id: String
    package let thing: BindingID
    package let request: CommandRequest
    /// Who has given it; `nil` if nobody was identified.
    package let issuer: Grantee?
    /// When it was given, milliseconds since 1970.
    package let created: Int64
    /// When it ends without an answer, milliseconds since 1970.
    package let deadline: Int64

    package private(set) var state: CommandState
    /// By action; `nil` for one that was not answered.
    package private(set) var results: [ActionResult?]
    package private(set) var cause: Cause?
    /// When it changed last, milliseconds since 1970.
    package private(set) var modified: Int64

    /// How many a thing may have that have not ended.
    package static let maximumOpen = 100

    /// - Parameters:
    ///   - created: Milliseconds since 1970, as all times.
    ///   - results: Those of a stored command; actions that are missing here have none.
    package init(
        _ id: String,
        of thing: BindingID,
        _ request: CommandRequest,
        issuer: Grantee?,
        created: Int64,
        deadline: Int64,
        state: CommandState = .sending,
        results: [ActionResult?] = [],
        cause: Cause? = nil,
        modified: Int64? = nil
    ) {
        (self.id, self.thing, self.request, self.issuer) = (id, thing, request, issuer)
        (self.created, self.deadline) = (created, deadline)
        (self.state, self.cause) = (state, cause)
        let count = request.actions.count
        self.results = Array(results.prefix(count))
        self.results.append(contentsOf: repeatElement(nil, count: max(0, count - results.count)))
        self.modified = modified ?? created
    }

    package mutating func apply(_ event: Event, at now: Int64) -> [Effect] {
        let before = self
        switch event {
        case .delivered:
            if state == .sending { state = .delivered }
        case .answered(let index, let result):
            settle(index, result)
        case .reported(let reported):
            for (index, result) in reported.enumerated() { settle(index, result) }
        case .due: end(.timeout)
        case .offline: if state == .sending { end(.offline) }
        case .restarted: end(.restarted)
        }
        guard self != before else { return [] }
        modified = now
        return before.state.isOpen && !state.isOpen ? [.store, .end] : [.store]
    }

    /// Gives an action its result, unless it has one or the result is of another action.
    private mutating func settle(_ index: Int, _ result: ActionResult) {
        guard results.indices.contains(index), results[index] == nil,
            request.actions[index].name.hasBytes(of: result.name)
        else { return }
        results[index] = result
        if state == .sending { state = .delivered }
        let known = results.compactMap(\.self)
        guard known.count == results.count else { return }
        state = known.allSatisfy(\.isSucceeded) ? .done : .incomplete
        cause = nil
    }

    private mutating func end(_ cause: Cause) {
        guard state.isOpen else { return }
        (state, self.cause) = (.incomplete, cause)
    }
}

// MARK: - Messages

extension ThingCommand {
    /// The results in the order of the actions, when it has ended; `nil` before.
    package var actionResults: [ActionResult]? {
        guard !state.isOpen else { return nil }
        return zip(request.actions, results).map { action, result in
            result ?? ActionResult(action.name, isSucceeded: false, errorMessage: explanation)
        }
    }

    private var explanation: String {
        switch cause {
        case .timeout, nil: "timeout: the thing did not answer within \(max(0, deadline &- created) / 1000) s"
        case .offline: "thing_offline: the thing has reported that it is offline"
        case .restarted: "timeout: the program was restarted before the thing answered"
        }
    }

    /// The command as lists of commands have it.
    package var json: JSONObject {
        var json: JSONObject = [
            "commandID": .string(id), "target": .string("thing:\(thing)"),
            "issuer": .string(issuer?.description ?? "user:none"), "schema": .string(request.schema),
            "schemaVersion": JSONValue(request.schemaVersion), "actions": .array(request.actions.map(\.json)),
            "commandState": .string(state.rawValue), "createdAt": JSONValue(Int(created)),
            "modifiedAt": JSONValue(Int(modified)),
        ]
        json["actionResults"] = actionResults.map { .array($0.map(\.json)) }
        json["title"] = request.title.map { .string($0) }
        json["description"] = request.description.map { .string($0) }
        json["metadata"] = request.metadata.map { .object($0) }
        return json
    }

    /// The command as its thing reads it: before the end also the results that are settled, null for the others.
    package var jsonForThing: JSONObject {
        var json = json
        if state.isOpen, results.contains(where: { $0 != nil }) {
            json["actionResults"] = .array(results.map { $0?.json ?? .null })
        }
        return json
    }

    /// The answer on the broker, when it has ended.
    package var answer: JSONObject {
        [
            "commandID": .string(id), "state": .string(state.rawValue),
            "actionResults": .array((actionResults ?? []).map(\.json)),
        ]
    }
}
