import DequeModule
package import Flare
package import JSON

/// The state machine of a ``FlareClient``: its methods return the actions to perform.
///
/// One request is performed at a time; the others wait in order. Events are emitted as soon as their message or
/// response arrives, so that they keep the order of the server.
///
/// All times are monotonic milliseconds.
package struct RequestPipeline: Sendable {
    package enum Action: Sendable, Hashable {
        case emit(FlareEvent)
        case send(FlareMessage)
        /// Sends a REST request; its response is passed to ``receivedResponse(_:_:now:)`` with the number.
        case fetch(RESTRequest, number: Int)
    }

    /// The limit of waiting requests.
    private static let capacity = 10_000

    /// The current request.
    private struct Running: Sendable {
        let request: FlareRequest
        var waiting: Waiting
        /// The notices since it started.
        var overlay = NoticeOverlay()
    }

    private enum Waiting: Sendable {
        case fetch(numbers: [Int], answers: [Int: JSONValue?], then: @Sendable ([JSONValue?]) -> Step)
        case answer(ReadBack, by: Int, then: @Sendable (ReadBack.Answer) -> Step)
        case pause(until: Int, then: @Sendable () -> Step)
        /// Only while the next step starts.
        case nothing
    }

    private enum Link: Sendable {
        /// The first attempt is in progress; requests wait.
        case beginning
        /// - Parameter isOrdered: Whether the server handles messages in order.
        case up(isOrdered: Bool)
        case down(reason: String)
    }

    private let confirmationMilliseconds: Int
    private var link = Link.beginning
    private var queue: Deque<FlareRequest> = []
    private var running: Running?
    private var fetches = 0
    private var unsettled = UnsettledObjects()
    /// Devices whose movement is known not to crash the original server.
    private var safeDevices: Set<FlareID> = []

    package init(confirmationMilliseconds: Int) { self.confirmationMilliseconds = confirmationMilliseconds }

    /// Whether every request is answered.
    package var isIdle: Bool { running == nil && queue.isEmpty }

    package var deadline: Int? {
        let due: Int? =
            switch running?.waiting {
            case .answer(_, let by, _)?: by
            case .pause(let until, _)?: until
            case .fetch?, .nothing?, nil: nil
            }
        return [due, unsettled.deadline].compactMap { $0 }.min()
    }

    // MARK: The link

    /// - Parameter isOrdered: Whether the server handles messages in order.
    package mutating func linkUp(isOrdered: Bool, now: Int) -> [Action] {
        link = .up(isOrdered: isOrdered)
        return [.emit(.linkUp)] + advance(now: now)
    }

    /// The link is lost or cannot be established; emitted again when the reason changes.
    package mutating func linkDown(reason: String) -> [Action] {
        if case .down(reason) = link { return [] }
        link = .down(reason: reason)
        unsettled.removeAll()
        safeDevices.removeAll()
        let unanswered = (running.map { [$0.request] } ?? []) + queue
        running = nil
        queue = []
        // The loss comes first, so that callers do not retry.
        return [.emit(.linkDown(reason: reason))] + unanswered.map { refusal(of: $0, .unreachable(reason)) }
    }

    private func refusal(of request: FlareRequest, _ error: FlareLinkError) -> Action {
        .emit(.replied(request, .failure(error)))
    }

    // MARK: Requests

    package mutating func requested(_ request: FlareRequest, now: Int) -> [Action] {
        if case .down(let reason) = link { return [refusal(of: request, .unreachable(reason))] }
        guard queue.count < Self.capacity else {
            return [refusal(of: request, .rejected("\(Self.capacity) requests are already waiting"))]
        }
        queue.append(request)
        return advance(now: now)
    }

    /// Starts the next request, and further ones while they finish immediately.
    private mutating func advance(now: Int) -> [Action] {
        var actions: [Action] = []
        guard case .up = link else { return actions }
        while running == nil, let request = queue.popFirst() {
            running = Running(request: request, waiting: .nothing)
            actions += start(step(for: request), now: now)
        }
        return actions
    }

    private func step(for request: FlareRequest) -> Step {
        switch request {
        case .loadEnvironments(let place): .loadEnvironments(near: place)
        case .loadPlace(let environment): .loadPlace(environment)
        case .loadDevice(let id, _): .loadDevice(id)
        case .createDevice(let draft, let environment): .createDevice(draft, in: environment)
        case .loadPresence(let device, let environment, let position):
            .loadPresence(device, in: environment, at: position)
        case .subscribe(let environment): .subscribe(environment)
        case .unsubscribe(let environment): .unsubscribe(environment)
        case .setData(let object, let values, let sender, _): .setData(object, values, sender: sender)
        case .setPosition(let object, let position, let sender):
            .setPosition(object, position, sender: sender, isSafe: safeDevices.contains(object.id))
        case .performAction(let object, let action, let sender):
            .performAction(object, action, sender: sender)
        case .renameDevice(let id, _, let name): .renameDevice(id, to: name)
        case .create(let kind, let edit, let zone, let environment): .create(kind, edit, zone, environment)
        case .change(let object, let edit): .change(object, edit)
        case .remove(let object, let withContents): .remove(object, withContents: withContents)
        }
    }

    private mutating func start(_ step: Step, now: Int) -> [Action] {
        guard let request = running?.request else { return [] }
        switch step {
        case .fetch(let requests, let then):
            let numbers = requests.indices.map { fetches + $0 }
            fetches += requests.count
            running?.waiting = .fetch(numbers: numbers, answers: [:], then: then)
            return zip(requests, numbers).map { .fetch($0, number: $1) }
        case .readBack(let readBack, let then):
            running?.waiting = .answer(readBack, by: now + confirmationMilliseconds, then: then)
            return readBack.messages.map { .send($0) }
        case .pause(let milliseconds, let then):
            running?.waiting = .pause(until: now + milliseconds, then: then)
            return []
        case .finish(var result, let corrections):
            if let overlay = running?.overlay { result = result.map { overlay.applied(to: $0, of: request) } }
            running = nil
            if case .success = result { finished(request, now: now) }
            return [.emit(.replied(request, result))] + corrections.map { .emit(.notice($0)) }
        }
    }

    private mutating func finished(_ request: FlareRequest, now: Int) {
        if case .setPosition(let object, _, _) = request, object.kind == .device {
            safeDevices.insert(object.id)
        }
        // Notices of earlier changes may still arrive and hide ours.
        guard case .up(isOrdered: false) = link else { return }
        switch request {
        case .setData(let object, let values, _, _):
            unsettled.record(.data(object, values, sender: nil), isOurs: true, now: now)
        case .setPosition(let object, let position, _):
            unsettled.record(.position(object, position, sender: nil), isOurs: true, now: now)
        default: break
        }
    }

    private mutating func continueWith(_ step: Step, now: Int) -> [Action] {
        start(step, now: now) + advance(now: now)
    }

    // MARK: Input

    /// The response to a REST request.
    package mutating func receivedResponse(
        _ number: Int,
        _ result: Result<JSONValue?, FlareLinkError>,
        now: Int
    )
        -> [Action]
    {
        guard case .fetch(let numbers, var answers, let then)? = running?.waiting, numbers.contains(number)
        else {
            return []
        }
        switch result {
        case .failure(let error): return continueWith(.fail(error), now: now)
        case .success(let json): answers[number] = .some(json)
        }
        guard answers.count == numbers.count else {
            running?.waiting = .fetch(numbers: numbers, answers: answers, then: then)
            return []
        }
        return continueWith(then(numbers.map { answers[$0] ?? nil }), now: now)
    }

    /// A message of the server over Socket.IO.
    package mutating func received(_ message: FlareMessage, now: Int) -> [Action] {
        guard case .up(let isOrdered) = link else { return [] }
        if let refusal = message.refusal {
            return refused(message.object, .notAllowed(refusal), now: now)
        }
        var actions: [Action] = []
        if case .answer(let readBack, _, let then)? = running?.waiting,
            let answer = readBack.answer(in: message)
        {
            // Our own value is in the reply; another one is a notice.
            if !readBack.isConfirmed(by: answer), let notice = FlareNotice(message) {
                actions.append(.emit(.notice(notice)))
            }
            return actions + continueWith(then(answer), now: now)
        }
        guard let notice = FlareNotice(message), !unsettled.confirms(notice) else { return actions }
        running?.overlay.record(notice)
        if !isOrdered { unsettled.record(notice, now: now) }
        actions.append(.emit(.notice(notice)))
        return actions
    }

    /// The server did not allow the change that was sent last; the request fails once nothing about it is to come.
    private mutating func refused(
        _ object: ObjectReference?,
        _ error: FlareLinkError,
        now: Int
    ) -> [Action] {
        if case .answer(let readBack, let by, _)? = running?.waiting, readBack.object == object,
            readBack.subject == .existence
        {
            running?.waiting = .answer(readBack, by: by) { _ in .fail(error) }
            return []
        }
        guard let next = running?.request.afterRefusal, next.object == object else { return [] }
        return continueWith(.readBack(next) { _ in .fail(error) }, now: now)
    }

    /// A notice that came another way: it may be newer than the responses of the current request.
    package mutating func noticed(_ notice: FlareNotice) { running?.overlay.record(notice) }

    package mutating func tick(now: Int) -> [Action] {
        guard case .up = link else { return [] }
        var actions = unsettled.popDue(now: now).map { Action.send($0.getMessage) }
        switch running?.waiting {
        case .answer(_, let by, _)? where now >= by:
            let seconds = Double(confirmationMilliseconds) / 1000
            actions += continueWith(.fail(.timedOut(seconds: seconds)), now: now)
        case .pause(let until, let then)? where now >= until:
            actions += continueWith(then(), now: now)
        case .answer?, .pause?, .fetch?, .nothing?, nil: break
        }
        return actions
    }
}

extension RequestPipeline.Action {
    var isReply: Bool { if case .emit(.replied) = self { true } else { false } }
}
