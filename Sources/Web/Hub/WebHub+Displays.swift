import Controller
import People
import Things

/// The displays' side of the hub.
extension WebHub {
    /// What somebody is for streams and displays, or why they may have none.
    func audience(of requester: Requester) -> Result<Audience, Refusal> {
        let (table, reader) = (node.state().people, reader(for: requester.caller))
        guard let caller = requester.caller, case .user(let user, _) = caller, !reader.seesNothing else {
            let message = "event streams and displays need the right to read something; an owner can give one"
            return .failure(Refusal(.notAllowed, message))
        }
        let now = node.clock().wallMilliseconds
        if table.verdict(of: caller, .own, on: .administration, at: now).isGranted {
            return .success(.owner)
        }
        // The page limits what they may do to driving, so that strangers on this machine do not administer.
        if requester.isUnnamed, table.verdict(of: .user(user), .own, on: .administration, at: now).isGranted {
            return .success(Audience(holder: .unnamed, isWatching: true))
        }
        let isWatching = reader.seesDevices || !Reader(table, for: caller, .write, at: now).seesNothing
        return .success(Audience(holder: .user(user), isWatching: isWatching))
    }

    /// A page of a display says whether it is visible.
    ///
    /// - Returns: Why it does not count.
    func setPresence(
        _ presence: Lifecycle.DisplayPresence,
        of id: String,
        page: String,
        by requester: Requester
    ) -> Refusal? {
        let display: DisplayName
        switch audience(of: requester) {
        case .success(let audience): display = DisplayName(id, of: audience)
        case .failure(let refusal): return refusal
        }
        let page = DisplayPage(display, page: page)
        guard let outcome = displays.set(page, presence) else {
            let most = configuration.maximumDisplays
            let message =
                display.audience.holder == .owner || display.audience.holder == .unnamed
                ? "\(most) displays are attached already; more do not count"
                : "a user may attach \(Share(of: most).ofOneUser) displays, and all together \(most); more do not count"
            return Refusal(.rateLimited, message)
        }
        perform(outcome, on: page)
        return nil
    }

    func perform(_ outcome: DisplayRegistry.Outcome, on page: DisplayPage) {
        tell(outcome.presence, of: page.display)
        displayTimers.removeValue(forKey: page)?.cancel()
        guard let timer = outcome.timer, !isStopping else { return }
        displayTimers[page] = after(timer.duration) { $0.perform($0.displays.expire(timer), on: timer.page) }
    }

    private func tell(_ presence: Lifecycle.DisplayPresence?, of display: DisplayName) {
        guard let presence else { return }
        if display.audience.isWatching {
            node.send(.displayChanged(id: display.lifecycleID, presence))
        }
        streams.setVisible(displays.visible)
    }

    /// Ends the displays of users whose rights have ended.
    func endForbiddenDisplays() {
        let over = displays.removeAll { old in
            guard case .user(let id) = old.holder else { return false }
            guard case .success(let audience) = audience(of: Requester(caller: .user(id))) else {
                return true
            }
            return old.isWatching && !audience.isWatching
        }
        for page in displayTimers.keys where over.contains(page.display) {
            displayTimers.removeValue(forKey: page)?.cancel()
        }
        for display in over { tell(.gone, of: display) }
    }
}
