import Controller
import Settings
import Web

extension Capability {
    /// What was heard at known points of the place, which makes positions more accurate.
    static let survey = Capability(
        name: "survey",
        alerts: [SurveyService.alert, "survey-beacons"]
    ) { context in
        let api = SurveyAPI(
            context.survey,
            accounts: context.accounts,
            epoch: context.epoch,
            node: context.devices.first
        )
        var parts = CapabilityParts()
        parts.routes = WebRoute.survey { await api.answer($0, by: $1, from: $2) }
        parts.localAnswers = [{ await api.answer($0) }]
        return parts
    }
}

extension CapabilityContext {
    /// The service of the survey, which is made when it is asked for first.
    var survey: SurveyService {
        kept.service { [store, clock, send, logger, configuration] in
            SurveyService(
                store,
                SurveyService.Settings(configuration),
                SurveyService.Ports(clock: { clock().wallMilliseconds }, send: send),
                logger: logger
            )
        }
    }
}

extension SurveyService.Settings {
    init(_ configuration: TrilateralConfiguration) {
        let positioning = configuration.positioning
        self.init(
            grid: positioning.grid,
            isGrid: positioning.estimator == .grid,
            hasDevice: configuration.isPresent
        )
    }
}
