import Bridge
import Controller
import Flare
import Messages
import Sensing

/// The one loop that owns the controller: events go in, effects leave through the ports in the order of their
/// events, and readers get the newest state.
struct RuntimeLoop: Sendable {
    /// The ordered queues to the outside parties.
    struct Ports: Sendable {
        var flare: AsyncStream<FlareRequest>.Continuation
        var sensors: AsyncStream<SensorPipeline.Input>.Continuation
        var timers: AsyncStream<TimerService.Request>.Continuation
        var memory: AsyncStream<ControllerEffect.PersistedRecord>.Continuation
        var bridge: AsyncStream<MQTTBridge.Output>.Continuation
        var lamps: AsyncStream<LampService.Answer>.Continuation
        var shell: AsyncStream<ShellRequest>.Continuation

        /// The outside parties end when they have done what was asked before.
        func finish() {
            flare.finish()
            sensors.finish()
            timers.finish()
            memory.finish()
            bridge.finish()
            lamps.finish()
            shell.finish()
        }
    }

    let controller: DeviceController
    let events: AsyncStream<ControllerEvent>
    let ports: Ports
    let readers: SnapshotReaders
    let clock: @Sendable () -> Instant
    let about: ProgramInfo

    /// Runs until the events end or the task is cancelled.
    func run() async {
        var controller = controller
        for await event in events {
            let effects = controller.apply(event, at: clock())
            publish(&controller)
            for effect in effects { carryOut(effect, controller.state) }
        }
        readers.finish()
        ports.finish()
    }

    private func publish(_ controller: inout DeviceController) {
        let changes = controller.takeChanges()
        guard !changes.isEmpty else { return }
        readers.publish(StateSnapshot(state: controller.state, changes: changes))
    }

    private func carryOut(_ effect: ControllerEffect, _ state: ControllerState) {
        switch effect {
        case .flare(let request): ports.flare.yield(request)
        case .trackBeacons(let place): ports.sensors.yield(.track(place))
        case .switchSensor(let sensor, let on): ports.sensors.yield(.switched(sensor, on: on))
        case .startTimer(let timer, let milliseconds):
            ports.timers.yield(.start(timer, .milliseconds(milliseconds)))
        case .stopTimer(let timer): ports.timers.yield(.stop(timer))
        case .remember(let memento): ports.memory.yield(memento)
        case .answer(let answer) where answer.actor == .link:
            ports.lamps.yield(LampService.Answer(answer, state))
        case .answer(let answer): ports.bridge.yield(.answer(completed(answer, state)))
        case .tell(let event): ports.bridge.yield(.event(event))
        case .resendState: ports.bridge.yield(.resendState(state))
        case .announce: ports.bridge.yield(.announce(state))
        case .readConfiguration: ports.shell.yield(.readConfiguration)
        case .rebuild: ports.shell.yield(.rebuild)
        case .restart: ports.shell.yield(.restart)
        case .setLogLevel(let level): ports.shell.yield(.logLevel(level))
        }
    }

    /// Adds what an answer tells that the controller cannot know or does not write: JSON, version, uptime.
    private func completed(_ answer: Answer, _ state: ControllerState) -> Answer {
        guard answer.refusal == nil else { return answer }
        var answer = answer
        switch answer.subject {
        case .get:
            let thing = answer.target.flatMap {
                state.slugs.id(of: $0.slug, kind: .thing) ?? FlareID($0.slug)
            }
            answer.data = thing.flatMap { state.thingJSON($0) }
        case .verb("ping"):
            answer.data = [
                "version": .string(ProgramInfo.currentVersion),
                "uptime_s": JSONValue(Int(clock().milliseconds(since: about.started) / 1000)),
            ]
        case .set, .verb:
            break
        }
        return answer
    }
}

extension LampService.Answer {
    fileprivate init(_ answer: Answer, _ state: ControllerState) {
        let thing = answer.target.flatMap { state.slugs.id(of: $0.slug, kind: .thing) ?? FlareID($0.slug) }
        self.init(
            ticket: answer.ticket,
            refusal: answer.refusal,
            sight: thing.flatMap { LampService.Sight($0, in: state) }
        )
    }
}

/// What only the shell can do.
package enum ShellRequest: Sendable {
    case readConfiguration
    /// Build everything again, with the configuration that was read last.
    case rebuild
    /// Build everything again as it is, to open the databases again.
    case reopen
    case restart
    case stop
    case logLevel(String)
}
