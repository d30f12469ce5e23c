import Flare
import JSON
import Things

/// The link to the Flare server: initial requests, replies and retries.
extension DeviceController {
    /// Delay until failed reads are retried, milliseconds.
    private static var readAgainMilliseconds: Int64 { 10_000 }

    mutating func linkUp() {
        // The first connection is part of the start, not an event.
        if links.wasServerUp, !state.isLinkUp { emitLinkChange("flare", true) }
        links.wasServerUp = true
        state.isLinkUp = true
        changes.insert(.link)
        core.clear("flare-link")
        core.loads.restart()
        reading.elsewhere.restart()
        sync.forgetUnconfirmedPositions()
        readAll()
    }

    mutating func linkDown(_ reason: String) {
        if state.isLinkUp { emitLinkChange("flare", false) }
        state.isLinkUp = false
        changes.insert(.link)
        core.raise("flare-link", .warning, "The Flare server cannot be reached: \(reason). Trying again.")
        core.forgetFailedReads { _ in true }
        let refusal = Refusal(FlareLinkError.unreachable(reason), in: state)
        failQueues(refusal)
        failReads(refusal)
        for thing in lights.transitions.keys.sorted() { abandonTransition(of: thing) }
        sync.dropDueReadings(in: &core)
    }

    /// Requests the environments, the zones and things of the current one, and this device.
    private mutating func readAll() {
        if seat != nil { return readOwnDevice() }
        core.load(.loadEnvironments(near: nil))
        guard let environment = state.environmentID else { return }
        effects.append(.flare(.subscribe(environment: environment)))
        core.load(.loadPlace(environment: environment))
        loadOrCreateDevice(in: environment)
    }

    mutating func replyReceived(_ request: FlareRequest, _ result: Result<FlareReply, FlareLinkError>) {
        if core.loads.end(request) { core.load(request) }
        if case .loadPlace(let environment) = request {
            reading.elsewhere.ended(environment, isRead: (try? result.get()) != nil)
        }
        switch (request, result) {
        case (.setPosition(let object, _, sender: nil), _) where object.id == state.device?.id:
            sync.positionAnswered()
            return jobAnswered(request, on: object, result)
        case (.setData(let object, _, _, _), _), (.setPosition(let object, _, _), _),
            (.performAction(let object, _, _), _):
            return jobAnswered(request, on: object, result)
        case (.renameDevice(let device, _, _), _):
            return jobAnswered(request, on: ObjectReference(.device, device), result)
        case (.remove(let object, _), _) where object.kind == .device:
            return deviceRemoved(object.id, result)
        case (.create, _), (.change, _), (.remove, _):
            return edited(request, result)
        case (.loadEnvironments, .success(.environments(let found))):
            environmentsLoaded(found)
            for refresh in pending.placeRead(nil) { accept(refresh.pending) }
        case (.loadPlace(let environment), .success(.place(let zones, let things))):
            placeRead(environment, zones: zones, things: things)
        case (.loadDevice(let id, let environment), .success(.device(let device))):
            deviceLoaded(id, device, in: environment)
        case (.loadDevice(let id, let environment), .failure(.unknownObject(let object)))
        where object.id == id:
            deviceLoaded(id, nil, in: environment)
        case (.createDevice(let draft, let environment), .success(.device(let device?))):
            if seat == nil, let node = draft.data[Self.nodeKey]?.string {
                deviceMade(device.id, of: node, in: environment)
            } else {
                deviceCreated(device, in: environment)
            }
        case (
            .loadPresence(let device, let environment, let position),
            .success(.presence(let zone, let nearest))
        ):
            guard device == state.device?.id else { break }
            if let here = state.device?.position, here != position {
                // The device has moved since the request, so this reply is outdated.
                core.load(.loadPresence(device: device, environment: environment, position: here))
            } else {
                presence.loaded(zone: zone, nearest: nearest, in: &core)
            }
        case (.subscribe, .success), (.unsubscribe, _):
            break
        case (_, .failure(let error)):
            return readFailed(request, error)
        case (_, .success):
            return readFailed(request, .rejected("it answered something else than was asked"))
        }
        if let reading = Reading(request) { core.forgetFailedReads { $0 == reading } }
    }

    // MARK: Failed reads

    private mutating func readFailed(_ request: FlareRequest, _ error: FlareLinkError) {
        if case .loadPlace(let environment) = request {
            failReads(of: environment, Refusal(error, in: state))
        }
        if case .loadEnvironments = request {
            for refresh in pending.removeRefreshes(where: { $0 == nil }) {
                refuse(refresh, Refusal(error, in: state))
            }
        }
        guard let reading = Reading(request), state.isLinkUp else { return }
        guard reading.environment == nil || reading.environment == state.environmentID else { return }
        // A lost link raises its own alert.
        if case .unreachable = error {
        } else {
            let reason = error.description(state.label)
            core.raise("flare-load", .warning, "The place could not be read: \(reason). Trying again.")
        }
        core.loads.fail(reading)
        effects.append(.startTimer(.readAgain, milliseconds: Self.readAgainMilliseconds))
    }

    mutating func readAgain() {
        guard core.loads.hasFailed, state.isLinkUp else { return }
        readAll()
    }
}
