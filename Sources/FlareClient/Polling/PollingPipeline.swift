import DequeModule
package import Flare
package import JSON

/// The state machine of a client that subscribes to nothing: its methods return the actions to perform.
///
/// One request is performed at a time. The place is read again some time after each reading, when no request is being
/// performed; what has changed since becomes notices. So a reading never overlaps a write, and readings never pile up.
///
/// All times are monotonic milliseconds.
package struct PollingPipeline: Sendable {
    package enum Action: Sendable, Hashable {
        case emit(FlareEvent)
        /// Sends a REST request; its response is passed to ``receivedResponse(_:_:now:)`` with the number.
        case fetch(RESTRequest, number: Int)
        /// Performs a request over Socket.IO; its events are passed to ``received(_:now:)``.
        case write(FlareRequest)
        /// Finds out whether the server still answers.
        case probe
        /// The server is gone: close all connections, then call ``linkDown(reason:)``.
        case lost(reason: String)
    }

    private enum Link: Sendable {
        /// The first attempt is in progress; requests wait.
        case beginning
        case up
        case down(reason: String)
    }

    private enum Work: Sendable, Hashable {
        case read(FlareRequest)
        case write(FlareRequest)
        /// A reading of the place: its current request, and those that follow.
        case poll(FlareRequest, then: ArraySlice<FlareRequest>)
    }

    /// The limit of waiting requests.
    private static let capacity = 10_000
    /// The limit of objects in the lists of one request.
    private static let maximumObjects = 20_000
    /// The pause before a reading that finds out why a write failed.
    private static let doubtMilliseconds = 1000

    private let interval: Int
    private var link = Link.beginning
    private var queue: Deque<FlareRequest> = []
    private var running: Work?
    /// Performs the requests that need REST only.
    private var reader = RequestPipeline(confirmationMilliseconds: 1)
    /// The responses that the reader waits for, and the objects in the lists that it has.
    private var awaited: Set<Int> = []
    private var objects = 0
    private var place = PolledPlace()
    private var nextPoll: Int?

    /// - Parameter milliseconds: The pause between two readings of the place.
    package init(milliseconds: Int) { interval = max(1, milliseconds) }

    /// Whether every request is answered.
    package var isIdle: Bool {
        guard queue.isEmpty else { return false }
        return switch running {
        case .read?, .write?: false
        case .poll?, nil: true
        }
    }

    /// When ``tick(now:)`` is due.
    package var deadline: Int? { running == nil ? nextPoll : reader.deadline }

    // MARK: The link

    package mutating func linkUp(now: Int) -> [Action] {
        link = .up
        place = PolledPlace()
        reader = RequestPipeline(confirmationMilliseconds: 1)
        nextPoll = now + interval
        _ = reader.linkUp(isOrdered: true, now: now)
        return [.emit(.linkUp)] + advance(now: now)
    }

    /// The link is lost or cannot be established; emitted again when the reason changes.
    package mutating func linkDown(reason: String) -> [Action] {
        if case .down(reason) = link { return [] }
        link = .down(reason: reason)
        nextPoll = nil
        let current: [FlareRequest] =
            switch running {
            case .read(let request)?, .write(let request)?: [request]
            case .poll?, nil: []
            }
        let unanswered = current + queue
        running = nil
        queue = []
        // The loss comes first, so that callers do not retry.
        return [.emit(.linkDown(reason: reason))]
            + unanswered.map { .emit(.replied($0, .failure(.unreachable(reason)))) }
    }

    // MARK: Requests

    package mutating func requested(_ request: FlareRequest, now: Int) -> [Action] {
        if case .down(let reason) = link { return [.emit(.replied(request, .failure(.unreachable(reason))))] }
        guard queue.count < Self.capacity else {
            let error = FlareLinkError.rejected("\(Self.capacity) requests are already waiting")
            return [.emit(.replied(request, .failure(error)))]
        }
        queue.append(request)
        return advance(now: now)
    }

    /// Starts the next work, and further work while it finishes immediately.
    private mutating func advance(now: Int) -> [Action] {
        var actions: [Action] = []
        guard case .up = link else { return actions }
        while running == nil {
            // A due reading comes first, so that many requests do not keep it waiting.
            if let nextPoll, now >= nextPoll {
                actions += startPoll(now: now)
            } else if let request = queue.popFirst() {
                actions += start(request, now: now)
            } else {
                break
            }
        }
        return actions
    }

    private mutating func start(_ request: FlareRequest, now: Int) -> [Action] {
        switch request {
        case .subscribe(let environment):
            place.subscribe(environment)
            return [.emit(.replied(request, .success(.done)))]
        case .unsubscribe(let environment):
            place.unsubscribe(environment)
            return [.emit(.replied(request, .success(.done)))]
        case .setData, .setPosition, .performAction:
            running = .write(request)
            return [.write(request)]
        case .loadEnvironments, .loadPlace, .loadDevice, .createDevice, .loadPresence, .renameDevice,
            .create, .change, .remove:
            running = .read(request)
            return ask(request, now: now)
        }
    }

    private mutating func startPoll(now: Int) -> [Action] {
        let readings = place.readings
        guard let first = readings.first else {
            nextPoll = now + interval
            return []
        }
        running = .poll(first, then: readings.dropFirst())
        return ask(first, now: now)
    }

    private mutating func ask(_ request: FlareRequest, now: Int) -> [Action] {
        (awaited, objects) = ([], 0)
        return readerActions(reader.requested(request, now: now), now: now)
    }

    // MARK: Input

    /// The response to a REST request.
    package mutating func receivedResponse(
        _ number: Int,
        _ result: Result<JSONValue?, FlareLinkError>,
        now: Int
    ) -> [Action] {
        guard case .up = link, awaited.remove(number) != nil else { return [] }
        let actions = readerActions(reader.receivedResponse(number, checked(result), now: now), now: now)
        return actions + advance(now: now)
    }

    /// Refuses lists that are too long, or have an object that cannot be read and would count as gone.
    private mutating func checked(
        _ result: Result<JSONValue?, FlareLinkError>
    ) -> Result<JSONValue?, FlareLinkError> {
        guard case .success(let json?) = result, let elements = json.array else { return result }
        objects += elements.count
        guard objects <= Self.maximumObjects else {
            return .failure(.rejected("the server's lists have more than \(Self.maximumObjects) objects"))
        }
        guard let wrong = elements.first(where: { $0.flareID("_id") == nil }) else { return result }
        return .failure(
            .rejected("the server's list has an object that cannot be read: \(wrong.text.shortened)")
        )
    }

    /// An event of the connection that performs the writes.
    package mutating func received(_ event: FlareEvent, now: Int) -> [Action] {
        guard case .up = link else { return [] }
        switch event {
        case .linkUp, .linkDown: return []
        case .notice(let notice):
            place.noticed(notice)
            reader.noticed(notice)
            return [.emit(.notice(notice))]
        case .replied(let request, let result):
            guard running == .write(request) else { return [] }
            running = nil
            switch result {
            case .success(let reply): place.replied(request, reply)
            case .failure(.unreachable), .failure(.timedOut):
                // Perhaps the server is gone.
                nextPoll = nextPoll.map { min($0, now + Self.doubtMilliseconds) }
            case .failure(.rejected), .failure(.notAllowed), .failure(.unknownObject): break
            }
            return [.emit(.replied(request, result))] + advance(now: now)
        }
    }

    package mutating func tick(now: Int) -> [Action] {
        guard case .up = link else { return [] }
        return readerActions(reader.tick(now: now), now: now) + advance(now: now)
    }

    // MARK: Readings

    private mutating func readerActions(_ actions: [RequestPipeline.Action], now: Int) -> [Action] {
        actions.flatMap { action -> [Action] in
            switch action {
            case .fetch(let request, let number):
                awaited.insert(number)
                return [.fetch(request, number: number)]
            case .emit(.replied(let request, let result)): return replied(request, result, now: now)
            // Without a connection there are neither messages nor other events.
            case .emit, .send: return []
            }
        }
    }

    private mutating func replied(
        _ request: FlareRequest,
        _ result: Result<FlareReply, FlareLinkError>,
        now: Int
    ) -> [Action] {
        switch running {
        case .read(request)?:
            // A lost server answers this request as well.
            if case .failure(.unreachable(let reason)) = result { return [.lost(reason: reason)] }
            running = nil
            if case .success(let reply) = result { place.replied(request, reply) }
            return [.emit(.replied(request, result))] + doubts(result)
        case .poll(request, let rest)?: return polled(request, result, then: rest, now: now)
        case .read?, .write?, .poll?, nil: return []
        }
    }

    private mutating func polled(
        _ request: FlareRequest,
        _ result: Result<FlareReply, FlareLinkError>,
        then rest: ArraySlice<FlareRequest>,
        now: Int
    ) -> [Action] {
        var actions: [Action] = []
        switch result {
        case .success(let reply):
            let notices = place.read(request, reply)
            actions = notices.map { .emit(.notice($0)) }
            // The owner reads it all again, and may leave this environment.
            let isOutdated = notices.contains { if case .modelChanged = $0 { true } else { false } }
            if !isOutdated, let next = rest.first {
                running = .poll(next, then: rest.dropFirst())
                return actions + ask(next, now: now)
            }
        case .failure(.unreachable(let reason)): return [.lost(reason: reason)]
        case .failure(.timedOut): actions = doubts(result)
        case .failure(.rejected), .failure(.notAllowed), .failure(.unknownObject):
            // The owner reads it and meets the error, which it reports and tries again.
            actions = place.subject(of: request).map { [.emit(.notice($0))] } ?? []
        }
        running = nil
        nextPoll = now + interval
        return actions
    }

    private func doubts(_ result: Result<FlareReply, FlareLinkError>) -> [Action] {
        if case .failure(.timedOut) = result { [.probe] } else { [] }
    }
}

extension PolledPlace {
    /// The notice that has the owner read again what a request reads.
    fileprivate func subject(of request: FlareRequest) -> FlareNotice? {
        guard let environment else { return nil }
        let object: ObjectReference
        switch request {
        case .loadPlace: object = ObjectReference(.zone, environment)
        case .loadDevice(let id, _): object = ObjectReference(.device, id)
        default: object = ObjectReference(.environment, environment)
        }
        return .modelChanged(object, environment: environment)
    }
}
