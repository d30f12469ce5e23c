package import Controller
import Flare
import JSON
import Messages
import NIOPosix
import People
import PlaceMap
import Things
package import Threading

/// The part of the web adapter on the node's loop: it reads the state for requests, turns changes into events, and
/// passes commands on.
package actor WebHub {
    nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// As the log calls the page and the API.
    package static let interface = "kiosk"

    let node: WebNode
    let configuration: WebConfiguration
    /// For the health message.
    package nonisolated let counters = Locked(WebCounters())
    /// The streams, on an event loop of their own.
    nonisolated let streams: EventStreams
    var texts = ObjectTexts()
    /// Encoded once for a language.
    private var experienceText: (language: String, text: [UInt8])?
    private let decoder = CommandDecoder()
    /// The requests that await the answers to their commands, by ticket, with what ends the wait.
    private var pending: [Int: (request: CheckedContinuation<Answer, Never>, timer: Task<Void, Never>)] = [:]
    /// Random at first: answers to commands of an earlier hub may still arrive.
    private var lastTicket = Int.random(in: 0...(1 << 52))
    private var readers = KnownReaders()
    private(set) var isStopping = false

    var recorder: FeedRecorder
    var openStreams = 0
    /// Who reads each stream, by its number.
    var viewers: [Int: StreamViewer] = [:]
    /// Whether the level of the lifecycle allowed control when the viewers were told what they may do.
    var allowedControl = true
    /// Looks at the viewers again when a right begins or ends.
    var nextLook: Task<Void, Never>?
    /// Ends the recording when no stream was opened again.
    var forgetting: Task<Void, Never>?
    var displays: DisplayRegistry
    var displayTimers: [DisplayPage: Task<Void, Never>] = [:]
    var animator = FrameAnimator()
    var animation: Task<Void, Never>?

    package init(_ configuration: WebConfiguration, node: WebNode) {
        (self.configuration, self.node, loop) = (configuration, node, node.loop)
        streams = EventStreams(configuration, on: MultiThreadedEventLoopGroup.singleton.next())
        let interval = Int64(configuration.movementInterval / .milliseconds(1))
        recorder = FeedRecorder(interval: interval)
        displays = DisplayRegistry(
            grace: configuration.displayGrace,
            maximum: configuration.maximumDisplays
        )
    }

    /// Follows the changes of a turn.
    package func observe(_ snapshot: StateSnapshot) {
        texts.forget(snapshot.changes)
        record(snapshot)
    }

    // MARK: Reading

    /// What somebody may see now.
    func reader(for caller: Caller?) -> Reader {
        readers.reader(for: caller, in: node.state(), at: node.clock().wallMilliseconds)
    }

    func seesEverything(_ requester: Requester) -> Bool {
        reader(for: requester.caller).seesEverything
    }

    /// The state as somebody may see it; it is not copied for who sees all of it.
    func view(for requester: Requester) -> (state: ControllerState, reader: Reader) {
        let (state, reader) = (node.state(), reader(for: requester.caller))
        return (reader.seesAll ? state : state.seen(by: reader), reader)
    }

    /// The content of `B/state`.
    func state(for requester: Requester) -> [UInt8] {
        let (state, reader) = view(for: requester)
        return state.feed(for: reader).bytes
    }

    /// What a capability says, as somebody may see it.
    func json(_ reading: (ControllerState) -> JSONValue, for requester: Requester) -> [UInt8] {
        reading(view(for: requester).state).bytes
    }

    /// The environments, zones or things that somebody may see.
    func list(_ kind: FlareClass, for requester: Requester) -> [UInt8] {
        texts.list(kind, in: node.state(), for: reader(for: requester.caller))
    }

    /// The actions of a thing, by short name or identifier.
    func actions(of name: String, for requester: Requester) -> Result<[UInt8], Refusal> {
        let state = view(for: requester).state
        return found(.thing, name, in: state).map { state.thingActionsJSON($0.id)?.bytes ?? [] }
    }

    /// The picture of the current environment as somebody may see it, to be drawn elsewhere.
    func picture(for requester: Requester) -> PlacePicture {
        let state = view(for: requester).state
        var changes: Set<StateChange> = [.environment, .zone, .nearby, .device]
        for kind in [FlareClass.zone, .thing] {
            changes.formUnion(state.webObjects(kind).map { .object($0) })
        }
        var picture = PlacePicture(style: configuration.mapStyle)
        _ = picture.apply(StateSnapshot(state: state, changes: changes))
        return picture
    }

    /// What the profile files say to the page, in the language of now.
    var experience: [UInt8] {
        let language = node.state().language
        if let known = experienceText, known.language == language { return known.text }
        var members = configuration.experience
        members["language"] = .string(language)
        let text = JSONValue.object(members).bytes
        experienceText = (language, text)
        return text
    }

    // MARK: Commands

    /// Carries out a command.
    ///
    /// - Parameters:
    ///   - payload: As on MQTT.
    /// - Returns: Its answer, at the latest after the command timeout.
    ///   - device: The node of the device that it is for; `nil` for the daemon's own.
    func perform(
        _ topic: CommandTopic,
        _ payload: [UInt8],
        for device: String? = nil,
        by requester: Requester
    ) async -> Answer {
        await perform(decoder.decode(topic, payload: payload), for: device, by: requester)
    }

    private func perform(
        _ decoded: DecodedCommand,
        for device: String?,
        by requester: Requester
    ) async -> Answer {
        counters.withLock { $0.commands += 1 }
        return await answer(to: decoded, for: device, by: requester)
    }

    /// Carries out a command that is no message.
    func perform(_ operation: Command.Operation, by requester: Requester) async -> Answer {
        await answer(to: DecodedCommand(operation), by: requester)
    }

    private func answer(
        to decoded: DecodedCommand,
        for device: String? = nil,
        by requester: Requester
    ) async -> Answer {
        let caller = caller(decoded.credentials, requester)
        var answer = Answer(ticket: 0, tx: decoded.tx, subject: decoded.subject)
        answer.actor = .kiosk
        let further = device == node.state().node ? nil : device
        if let further, let refusal = self.refusal(ofNode: further, for: caller) {
            answer.refusal = refusal
            node.send(.commandRefused(answer, caller: caller, source: requester.address))
            return answer
        }
        func send(_ event: ControllerEvent) {
            node.send(further.map { ControllerEvent.node($0, event) } ?? event)
        }
        switch decoded.result {
        case .failure(let refusal):
            answer.refusal = refusal
            send(.commandRefused(answer, caller: caller, source: requester.address))
        case .success(let operation):
            guard !isStopping else {
                answer.refusal = Self.stopping
                break
            }
            guard pending.count < configuration.maximumPendingCommands else {
                let reason = "\(pending.count) commands are waiting for their answers; try again in a second"
                answer.refusal = Refusal(.rateLimited, reason)
                break
            }
            lastTicket += 1
            let ticket = lastTicket
            answer.ticket = ticket
            let (empty, timeout) = (answer, configuration.commandTimeout)
            return await withCheckedContinuation { request in
                // The call may have been suspended while the node began to end.
                guard !isStopping else {
                    var refused = empty
                    refused.refusal = Self.stopping
                    return request.resume(returning: refused)
                }
                pending[ticket] = (request, timer: after(timeout) { $0.expire(ticket, empty) })
                let command = Command(
                    ticket: ticket,
                    operation: operation,
                    tx: decoded.tx,
                    actor: .kiosk,
                    caller: caller,
                    source: requester.address
                )
                send(.commandReceived(command))
            }
        }
        return answer
    }

    /// Who sends a command: a token in it counts more than the request.
    private func caller(_ credentials: CommandCredentials, _ requester: Requester) -> Caller? {
        guard let token = credentials.token else { return credentials.name == nil ? requester.caller : nil }
        return node.people.identify(.token(token, named: credentials.name))
    }

    private static let stopping = Refusal(.serverUnreachable, "the daemon is stopping")

    /// Receives the answer to a command.
    package func receive(_ answer: Answer) { end(answer.ticket, with: answer) }

    /// Ends a request; nothing happens if it has ended before.
    private func end(_ ticket: Int, with answer: Answer) {
        guard let waiting = pending.removeValue(forKey: ticket) else { return }
        waiting.timer.cancel()
        waiting.request.resume(returning: answer)
    }

    private func expire(_ ticket: Int, _ answer: Answer) {
        var answer = answer
        let seconds = configuration.commandTimeout.components.seconds
        answer.refusal = Refusal(
            .timeout,
            "no answer within \(seconds) s; the command may still be carried out"
        )
        end(ticket, with: answer)
    }

    /// Does something later, unless the task is cancelled before.
    ///
    /// Unstructured, because each wait ends by itself or by what it waits for.
    @discardableResult
    func after(
        _ delay: Duration,
        _ body: @escaping @Sendable (isolated WebHub) -> Void
    ) -> Task<Void, Never> {
        Task {
            if (try? await Task.sleep(for: delay)) != nil { body(self) }
        }
    }

    /// Refuses waiting and later commands: the node ends.
    func stop() {
        isStopping = true
        forgetting?.cancel()
        animation?.cancel()
        nextLook?.cancel()
        for timer in displayTimers.values { timer.cancel() }
        for ticket in Array(pending.keys) {
            var answer = Answer(ticket: ticket, tx: nil, subject: .set)
            answer.refusal = Self.stopping
            end(ticket, with: answer)
        }
    }
}
