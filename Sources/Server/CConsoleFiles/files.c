// Written by scripts/console-files: the files of the console, embedded byte by byte.

#include "CConsoleFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_analytics_audiences_js[] = {
#embed "Files/analytics/audiences.js"
};

static const unsigned char file_analytics_dashboard_js[] = {
#embed "Files/analytics/dashboard.js"
};

static const unsigned char file_analytics_debug_js[] = {
#embed "Files/analytics/debug.js"
};

static const unsigned char file_analytics_events_js[] = {
#embed "Files/analytics/events.js"
};

static const unsigned char file_analytics_funnel_js[] = {
#embed "Files/analytics/funnel.js"
};

static const unsigned char file_analytics_live_js[] = {
#embed "Files/analytics/live.js"
};

static const unsigned char file_analytics_model_js[] = {
#embed "Files/analytics/model.js"
};

static const unsigned char file_analytics_page_js[] = {
#embed "Files/analytics/page.js"
};

static const unsigned char file_analytics_period_js[] = {
#embed "Files/analytics/period.js"
};

static const unsigned char file_analytics_store_js[] = {
#embed "Files/analytics/store.js"
};

static const unsigned char file_analytics_timeline_js[] = {
#embed "Files/analytics/timeline.js"
};

static const unsigned char file_analytics_world_js[] = {
#embed "Files/analytics/world.js"
};

static const unsigned char file_app_js[] = {
#embed "Files/app.js"
};

static const unsigned char file_backups_model_js[] = {
#embed "Files/backups/model.js"
};

static const unsigned char file_backups_page_js[] = {
#embed "Files/backups/page.js"
};

static const unsigned char file_base_access_js[] = {
#embed "Files/base/access.js"
};

static const unsigned char file_base_api_js[] = {
#embed "Files/base/api.js"
};

static const unsigned char file_base_base_css[] = {
#embed "Files/base/base.css"
};

static const unsigned char file_base_chart_js[] = {
#embed "Files/base/chart.js"
};

static const unsigned char file_base_commands_js[] = {
#embed "Files/base/commands.js"
};

static const unsigned char file_base_credentials_js[] = {
#embed "Files/base/credentials.js"
};

static const unsigned char file_base_csv_js[] = {
#embed "Files/base/csv.js"
};

static const unsigned char file_base_dialog_js[] = {
#embed "Files/base/dialog.js"
};

static const unsigned char file_base_dom_js[] = {
#embed "Files/base/dom.js"
};

static const unsigned char file_base_grid_js[] = {
#embed "Files/base/grid.js"
};

static const unsigned char file_base_i18n_js[] = {
#embed "Files/base/i18n.js"
};

static const unsigned char file_base_listen_js[] = {
#embed "Files/base/listen.js"
};

static const unsigned char file_base_managed_js[] = {
#embed "Files/base/managed.js"
};

static const unsigned char file_base_memory_js[] = {
#embed "Files/base/memory.js"
};

static const unsigned char file_base_navigation_js[] = {
#embed "Files/base/navigation.js"
};

static const unsigned char file_base_pace_js[] = {
#embed "Files/base/pace.js"
};

static const unsigned char file_base_reasons_js[] = {
#embed "Files/base/reasons.js"
};

static const unsigned char file_base_request_js[] = {
#embed "Files/base/request.js"
};

static const unsigned char file_base_router_js[] = {
#embed "Files/base/router.js"
};

static const unsigned char file_base_session_js[] = {
#embed "Files/base/session.js"
};

static const unsigned char file_base_signal_js[] = {
#embed "Files/base/signal.js"
};

static const unsigned char file_base_spark_js[] = {
#embed "Files/base/spark.js"
};

static const unsigned char file_base_target_js[] = {
#embed "Files/base/target.js"
};

static const unsigned char file_base_teaching_js[] = {
#embed "Files/base/teaching.js"
};

static const unsigned char file_base_ui_js[] = {
#embed "Files/base/ui.js"
};

static const unsigned char file_base_viewing_js[] = {
#embed "Files/base/viewing.js"
};

static const unsigned char file_base_views_css[] = {
#embed "Files/base/views.css"
};

static const unsigned char file_base_views_js[] = {
#embed "Files/base/views.js"
};

static const unsigned char file_base_webchannel_js[] = {
#embed "Files/base/webchannel.js"
};

static const unsigned char file_config_experiment_js[] = {
#embed "Files/config/experiment.js"
};

static const unsigned char file_config_experimentForm_js[] = {
#embed "Files/config/experimentForm.js"
};

static const unsigned char file_config_experiments_js[] = {
#embed "Files/config/experiments.js"
};

static const unsigned char file_config_forms_js[] = {
#embed "Files/config/forms.js"
};

static const unsigned char file_config_model_js[] = {
#embed "Files/config/model.js"
};

static const unsigned char file_config_page_js[] = {
#embed "Files/config/page.js"
};

static const unsigned char file_config_publish_js[] = {
#embed "Files/config/publish.js"
};

static const unsigned char file_config_store_js[] = {
#embed "Files/config/store.js"
};

static const unsigned char file_config_termRows_js[] = {
#embed "Files/config/termRows.js"
};

static const unsigned char file_config_terms_js[] = {
#embed "Files/config/terms.js"
};

static const unsigned char file_data_asOf_js[] = {
#embed "Files/data/asOf.js"
};

static const unsigned char file_data_builder_js[] = {
#embed "Files/data/builder.js"
};

static const unsigned char file_data_builderModel_js[] = {
#embed "Files/data/builderModel.js"
};

static const unsigned char file_data_bulk_js[] = {
#embed "Files/data/bulk.js"
};

static const unsigned char file_data_bulkDialog_js[] = {
#embed "Files/data/bulkDialog.js"
};

static const unsigned char file_data_columns_js[] = {
#embed "Files/data/columns.js"
};

static const unsigned char file_data_columnsDialog_js[] = {
#embed "Files/data/columnsDialog.js"
};

static const unsigned char file_data_createDatabase_js[] = {
#embed "Files/data/createDatabase.js"
};

static const unsigned char file_data_createDocument_js[] = {
#embed "Files/data/createDocument.js"
};

static const unsigned char file_data_data_css[] = {
#embed "Files/data/data.css"
};

static const unsigned char file_data_datePicker_js[] = {
#embed "Files/data/datePicker.js"
};

static const unsigned char file_data_deletion_js[] = {
#embed "Files/data/deletion.js"
};

static const unsigned char file_data_documents_js[] = {
#embed "Files/data/documents.js"
};

static const unsigned char file_data_drawer_js[] = {
#embed "Files/data/drawer.js"
};

static const unsigned char file_data_fieldEditor_js[] = {
#embed "Files/data/fieldEditor.js"
};

static const unsigned char file_data_filter_js[] = {
#embed "Files/data/filter.js"
};

static const unsigned char file_data_history_js[] = {
#embed "Files/data/history.js"
};

static const unsigned char file_data_instants_js[] = {
#embed "Files/data/instants.js"
};

static const unsigned char file_data_jsonText_js[] = {
#embed "Files/data/jsonText.js"
};

static const unsigned char file_data_jsonView_js[] = {
#embed "Files/data/jsonView.js"
};

static const unsigned char file_data_merge_js[] = {
#embed "Files/data/merge.js"
};

static const unsigned char file_data_missing_js[] = {
#embed "Files/data/missing.js"
};

static const unsigned char file_data_order_js[] = {
#embed "Files/data/order.js"
};

static const unsigned char file_data_page_js[] = {
#embed "Files/data/page.js"
};

static const unsigned char file_data_pages_js[] = {
#embed "Files/data/pages.js"
};

static const unsigned char file_data_progress_js[] = {
#embed "Files/data/progress.js"
};

static const unsigned char file_data_query_js[] = {
#embed "Files/data/query.js"
};

static const unsigned char file_data_queryCode_js[] = {
#embed "Files/data/queryCode.js"
};

static const unsigned char file_data_queryFailure_js[] = {
#embed "Files/data/queryFailure.js"
};

static const unsigned char file_data_tools_js[] = {
#embed "Files/data/tools.js"
};

static const unsigned char file_data_transfer_js[] = {
#embed "Files/data/transfer.js"
};

static const unsigned char file_data_transferDialogs_js[] = {
#embed "Files/data/transferDialogs.js"
};

static const unsigned char file_data_tree_js[] = {
#embed "Files/data/tree.js"
};

static const unsigned char file_data_undo_js[] = {
#embed "Files/data/undo.js"
};

static const unsigned char file_data_value_js[] = {
#embed "Files/data/value.js"
};

static const unsigned char file_data_viewDialog_js[] = {
#embed "Files/data/viewDialog.js"
};

static const unsigned char file_data_window_js[] = {
#embed "Files/data/window.js"
};

static const unsigned char file_data_writes_js[] = {
#embed "Files/data/writes.js"
};

static const unsigned char file_files_crumbs_js[] = {
#embed "Files/files/crumbs.js"
};

static const unsigned char file_files_downloadLinks_js[] = {
#embed "Files/files/downloadLinks.js"
};

static const unsigned char file_files_file_js[] = {
#embed "Files/files/file.js"
};

static const unsigned char file_files_files_css[] = {
#embed "Files/files/files.css"
};

static const unsigned char file_files_page_js[] = {
#embed "Files/files/page.js"
};

static const unsigned char file_files_sniff_js[] = {
#embed "Files/files/sniff.js"
};

static const unsigned char file_files_store_js[] = {
#embed "Files/files/store.js"
};

static const unsigned char file_files_thumbnails_js[] = {
#embed "Files/files/thumbnails.js"
};

static const unsigned char file_files_uploads_js[] = {
#embed "Files/files/uploads.js"
};

static const unsigned char file_functions_events_js[] = {
#embed "Files/functions/events.js"
};

static const unsigned char file_functions_functions_css[] = {
#embed "Files/functions/functions.css"
};

static const unsigned char file_functions_list_js[] = {
#embed "Files/functions/list.js"
};

static const unsigned char file_functions_logs_js[] = {
#embed "Files/functions/logs.js"
};

static const unsigned char file_functions_model_js[] = {
#embed "Files/functions/model.js"
};

static const unsigned char file_functions_page_js[] = {
#embed "Files/functions/page.js"
};

static const unsigned char file_functions_releases_js[] = {
#embed "Files/functions/releases.js"
};

static const unsigned char file_functions_schedules_js[] = {
#embed "Files/functions/schedules.js"
};

static const unsigned char file_functions_store_js[] = {
#embed "Files/functions/store.js"
};

static const unsigned char file_hosting_channels_js[] = {
#embed "Files/hosting/channels.js"
};

static const unsigned char file_hosting_domains_js[] = {
#embed "Files/hosting/domains.js"
};

static const unsigned char file_hosting_model_js[] = {
#embed "Files/hosting/model.js"
};

static const unsigned char file_hosting_page_js[] = {
#embed "Files/hosting/page.js"
};

static const unsigned char file_hosting_releases_js[] = {
#embed "Files/hosting/releases.js"
};

static const unsigned char file_hosting_site_js[] = {
#embed "Files/hosting/site.js"
};

static const unsigned char file_hosting_store_js[] = {
#embed "Files/hosting/store.js"
};

static const unsigned char file_i18n_en_analytics_js[] = {
#embed "Files/i18n/en/analytics.js"
};

static const unsigned char file_i18n_en_backups_js[] = {
#embed "Files/i18n/en/backups.js"
};

static const unsigned char file_i18n_en_common_js[] = {
#embed "Files/i18n/en/common.js"
};

static const unsigned char file_i18n_en_config_js[] = {
#embed "Files/i18n/en/config.js"
};

static const unsigned char file_i18n_en_data_js[] = {
#embed "Files/i18n/en/data.js"
};

static const unsigned char file_i18n_en_files_js[] = {
#embed "Files/i18n/en/files.js"
};

static const unsigned char file_i18n_en_functions_js[] = {
#embed "Files/i18n/en/functions.js"
};

static const unsigned char file_i18n_en_hosting_js[] = {
#embed "Files/i18n/en/hosting.js"
};

static const unsigned char file_i18n_en_indexes_js[] = {
#embed "Files/i18n/en/indexes.js"
};

static const unsigned char file_i18n_en_messages_js[] = {
#embed "Files/i18n/en/messages.js"
};

static const unsigned char file_i18n_en_operations_js[] = {
#embed "Files/i18n/en/operations.js"
};

static const unsigned char file_i18n_en_overview_js[] = {
#embed "Files/i18n/en/overview.js"
};

static const unsigned char file_i18n_en_requests_js[] = {
#embed "Files/i18n/en/requests.js"
};

static const unsigned char file_i18n_en_rules_js[] = {
#embed "Files/i18n/en/rules.js"
};

static const unsigned char file_i18n_en_settings_js[] = {
#embed "Files/i18n/en/settings.js"
};

static const unsigned char file_i18n_en_sign_in_js[] = {
#embed "Files/i18n/en/sign-in.js"
};

static const unsigned char file_i18n_en_users_js[] = {
#embed "Files/i18n/en/users.js"
};

static const unsigned char file_i18n_pt_BR_analytics_js[] = {
#embed "Files/i18n/pt-BR/analytics.js"
};

static const unsigned char file_i18n_pt_BR_backups_js[] = {
#embed "Files/i18n/pt-BR/backups.js"
};

static const unsigned char file_i18n_pt_BR_common_js[] = {
#embed "Files/i18n/pt-BR/common.js"
};

static const unsigned char file_i18n_pt_BR_config_js[] = {
#embed "Files/i18n/pt-BR/config.js"
};

static const unsigned char file_i18n_pt_BR_data_js[] = {
#embed "Files/i18n/pt-BR/data.js"
};

static const unsigned char file_i18n_pt_BR_files_js[] = {
#embed "Files/i18n/pt-BR/files.js"
};

static const unsigned char file_i18n_pt_BR_functions_js[] = {
#embed "Files/i18n/pt-BR/functions.js"
};

static const unsigned char file_i18n_pt_BR_hosting_js[] = {
#embed "Files/i18n/pt-BR/hosting.js"
};

static const unsigned char file_i18n_pt_BR_indexes_js[] = {
#embed "Files/i18n/pt-BR/indexes.js"
};

static const unsigned char file_i18n_pt_BR_messages_js[] = {
#embed "Files/i18n/pt-BR/messages.js"
};

static const unsigned char file_i18n_pt_BR_operations_js[] = {
#embed "Files/i18n/pt-BR/operations.js"
};

static const unsigned char file_i18n_pt_BR_overview_js[] = {
#embed "Files/i18n/pt-BR/overview.js"
};

static const unsigned char file_i18n_pt_BR_requests_js[] = {
#embed "Files/i18n/pt-BR/requests.js"
};

static const unsigned char file_i18n_pt_BR_rules_js[] = {
#embed "Files/i18n/pt-BR/rules.js"
};

static const unsigned char file_i18n_pt_BR_settings_js[] = {
#embed "Files/i18n/pt-BR/settings.js"
};

static const unsigned char file_i18n_pt_BR_sign_in_js[] = {
#embed "Files/i18n/pt-BR/sign-in.js"
};

static const unsigned char file_i18n_pt_BR_users_js[] = {
#embed "Files/i18n/pt-BR/users.js"
};

static const unsigned char file_icon_svg[] = {
#embed "Files/icon.svg"
};

static const unsigned char file_index_html[] = {
#embed "Files/index.html"
};

static const unsigned char file_indexes_link_js[] = {
#embed "Files/indexes/link.js"
};

static const unsigned char file_indexes_page_js[] = {
#embed "Files/indexes/page.js"
};

static const unsigned char file_messages_composer_js[] = {
#embed "Files/messages/composer.js"
};

static const unsigned char file_messages_credentials_js[] = {
#embed "Files/messages/credentials.js"
};

static const unsigned char file_messages_model_js[] = {
#embed "Files/messages/model.js"
};

static const unsigned char file_messages_page_js[] = {
#embed "Files/messages/page.js"
};

static const unsigned char file_messages_reach_js[] = {
#embed "Files/messages/reach.js"
};

static const unsigned char file_messages_store_js[] = {
#embed "Files/messages/store.js"
};

static const unsigned char file_operations_jobs_js[] = {
#embed "Files/operations/jobs.js"
};

static const unsigned char file_operations_log_js[] = {
#embed "Files/operations/log.js"
};

static const unsigned char file_operations_metrics_js[] = {
#embed "Files/operations/metrics.js"
};

static const unsigned char file_operations_model_js[] = {
#embed "Files/operations/model.js"
};

static const unsigned char file_operations_page_js[] = {
#embed "Files/operations/page.js"
};

static const unsigned char file_overview_attention_js[] = {
#embed "Files/overview/attention.js"
};

static const unsigned char file_overview_cockpit_js[] = {
#embed "Files/overview/cockpit.js"
};

static const unsigned char file_overview_connect_js[] = {
#embed "Files/overview/connect.js"
};

static const unsigned char file_overview_ids_js[] = {
#embed "Files/overview/ids.js"
};

static const unsigned char file_overview_page_js[] = {
#embed "Files/overview/page.js"
};

static const unsigned char file_overview_projects_js[] = {
#embed "Files/overview/projects.js"
};

static const unsigned char file_overview_recent_js[] = {
#embed "Files/overview/recent.js"
};

static const unsigned char file_overview_snippets_js[] = {
#embed "Files/overview/snippets.js"
};

static const unsigned char file_requests_all_js[] = {
#embed "Files/requests/all.js"
};

static const unsigned char file_requests_group_js[] = {
#embed "Files/requests/group.js"
};

static const unsigned char file_requests_log_js[] = {
#embed "Files/requests/log.js"
};

static const unsigned char file_requests_logModel_js[] = {
#embed "Files/requests/logModel.js"
};

static const unsigned char file_requests_page_js[] = {
#embed "Files/requests/page.js"
};

static const unsigned char file_requests_recent_js[] = {
#embed "Files/requests/recent.js"
};

static const unsigned char file_requests_store_js[] = {
#embed "Files/requests/store.js"
};

static const unsigned char file_rules_coverage_js[] = {
#embed "Files/rules/coverage.js"
};

static const unsigned char file_rules_diff_js[] = {
#embed "Files/rules/diff.js"
};

static const unsigned char file_rules_diffView_js[] = {
#embed "Files/rules/diffView.js"
};

static const unsigned char file_rules_editor_js[] = {
#embed "Files/rules/editor.js"
};

static const unsigned char file_rules_highlight_js[] = {
#embed "Files/rules/highlight.js"
};

static const unsigned char file_rules_indent_js[] = {
#embed "Files/rules/indent.js"
};

static const unsigned char file_rules_monitor_js[] = {
#embed "Files/rules/monitor.js"
};

static const unsigned char file_rules_page_js[] = {
#embed "Files/rules/page.js"
};

static const unsigned char file_rules_playground_js[] = {
#embed "Files/rules/playground.js"
};

static const unsigned char file_rules_recent_js[] = {
#embed "Files/rules/recent.js"
};

static const unsigned char file_rules_release_js[] = {
#embed "Files/rules/release.js"
};

static const unsigned char file_rules_replay_js[] = {
#embed "Files/rules/replay.js"
};

static const unsigned char file_rules_rules_css[] = {
#embed "Files/rules/rules.css"
};

static const unsigned char file_rules_store_js[] = {
#embed "Files/rules/store.js"
};

static const unsigned char file_settings_account_js[] = {
#embed "Files/settings/account.js"
};

static const unsigned char file_settings_apps_js[] = {
#embed "Files/settings/apps.js"
};

static const unsigned char file_settings_audit_js[] = {
#embed "Files/settings/audit.js"
};

static const unsigned char file_settings_methods_js[] = {
#embed "Files/settings/methods.js"
};

static const unsigned char file_settings_page_js[] = {
#embed "Files/settings/page.js"
};

static const unsigned char file_settings_trail_js[] = {
#embed "Files/settings/trail.js"
};

static const unsigned char file_shell_pages_js[] = {
#embed "Files/shell/pages.js"
};

static const unsigned char file_shell_shell_css[] = {
#embed "Files/shell/shell.css"
};

static const unsigned char file_shell_shell_js[] = {
#embed "Files/shell/shell.js"
};

static const unsigned char file_shell_store_js[] = {
#embed "Files/shell/store.js"
};

static const unsigned char file_sign_in_form_js[] = {
#embed "Files/sign-in/form.js"
};

static const unsigned char file_sign_in_page_js[] = {
#embed "Files/sign-in/page.js"
};

static const unsigned char file_sign_in_qr_js[] = {
#embed "Files/sign-in/qr.js"
};

static const unsigned char file_users_names_js[] = {
#embed "Files/users/names.js"
};

static const unsigned char file_users_page_js[] = {
#embed "Files/users/page.js"
};

static const unsigned char file_users_store_js[] = {
#embed "Files/users/store.js"
};

static const unsigned char file_users_user_js[] = {
#embed "Files/users/user.js"
};

static const unsigned char file_vars_css[] = {
#embed "Files/vars.css"
};

static const struct console_file files[] = {
    {"analytics/audiences.js", file_analytics_audiences_js, sizeof file_analytics_audiences_js},
    {"analytics/dashboard.js", file_analytics_dashboard_js, sizeof file_analytics_dashboard_js},
    {"analytics/debug.js", file_analytics_debug_js, sizeof file_analytics_debug_js},
    {"analytics/events.js", file_analytics_events_js, sizeof file_analytics_events_js},
    {"analytics/funnel.js", file_analytics_funnel_js, sizeof file_analytics_funnel_js},
    {"analytics/live.js", file_analytics_live_js, sizeof file_analytics_live_js},
    {"analytics/model.js", file_analytics_model_js, sizeof file_analytics_model_js},
    {"analytics/page.js", file_analytics_page_js, sizeof file_analytics_page_js},
    {"analytics/period.js", file_analytics_period_js, sizeof file_analytics_period_js},
    {"analytics/store.js", file_analytics_store_js, sizeof file_analytics_store_js},
    {"analytics/timeline.js", file_analytics_timeline_js, sizeof file_analytics_timeline_js},
    {"analytics/world.js", file_analytics_world_js, sizeof file_analytics_world_js},
    {"app.js", file_app_js, sizeof file_app_js},
    {"backups/model.js", file_backups_model_js, sizeof file_backups_model_js},
    {"backups/page.js", file_backups_page_js, sizeof file_backups_page_js},
    {"base/access.js", file_base_access_js, sizeof file_base_access_js},
    {"base/api.js", file_base_api_js, sizeof file_base_api_js},
    {"base/base.css", file_base_base_css, sizeof file_base_base_css},
    {"base/chart.js", file_base_chart_js, sizeof file_base_chart_js},
    {"base/commands.js", file_base_commands_js, sizeof file_base_commands_js},
    {"base/credentials.js", file_base_credentials_js, sizeof file_base_credentials_js},
    {"base/csv.js", file_base_csv_js, sizeof file_base_csv_js},
    {"base/dialog.js", file_base_dialog_js, sizeof file_base_dialog_js},
    {"base/dom.js", file_base_dom_js, sizeof file_base_dom_js},
    {"base/grid.js", file_base_grid_js, sizeof file_base_grid_js},
    {"base/i18n.js", file_base_i18n_js, sizeof file_base_i18n_js},
    {"base/listen.js", file_base_listen_js, sizeof file_base_listen_js},
    {"base/managed.js", file_base_managed_js, sizeof file_base_managed_js},
    {"base/memory.js", file_base_memory_js, sizeof file_base_memory_js},
    {"base/navigation.js", file_base_navigation_js, sizeof file_base_navigation_js},
    {"base/pace.js", file_base_pace_js, sizeof file_base_pace_js},
    {"base/reasons.js", file_base_reasons_js, sizeof file_base_reasons_js},
    {"base/request.js", file_base_request_js, sizeof file_base_request_js},
    {"base/router.js", file_base_router_js, sizeof file_base_router_js},
    {"base/session.js", file_base_session_js, sizeof file_base_session_js},
    {"base/signal.js", file_base_signal_js, sizeof file_base_signal_js},
    {"base/spark.js", file_base_spark_js, sizeof file_base_spark_js},
    {"base/target.js", file_base_target_js, sizeof file_base_target_js},
    {"base/teaching.js", file_base_teaching_js, sizeof file_base_teaching_js},
    {"base/ui.js", file_base_ui_js, sizeof file_base_ui_js},
    {"base/viewing.js", file_base_viewing_js, sizeof file_base_viewing_js},
    {"base/views.css", file_base_views_css, sizeof file_base_views_css},
    {"base/views.js", file_base_views_js, sizeof file_base_views_js},
    {"base/webchannel.js", file_base_webchannel_js, sizeof file_base_webchannel_js},
    {"config/experiment.js", file_config_experiment_js, sizeof file_config_experiment_js},
    {"config/experimentForm.js", file_config_experimentForm_js, sizeof file_config_experimentForm_js},
    {"config/experiments.js", file_config_experiments_js, sizeof file_config_experiments_js},
    {"config/forms.js", file_config_forms_js, sizeof file_config_forms_js},
    {"config/model.js", file_config_model_js, sizeof file_config_model_js},
    {"config/page.js", file_config_page_js, sizeof file_config_page_js},
    {"config/publish.js", file_config_publish_js, sizeof file_config_publish_js},
    {"config/store.js", file_config_store_js, sizeof file_config_store_js},
    {"config/termRows.js", file_config_termRows_js, sizeof file_config_termRows_js},
    {"config/terms.js", file_config_terms_js, sizeof file_config_terms_js},
    {"data/asOf.js", file_data_asOf_js, sizeof file_data_asOf_js},
    {"data/builder.js", file_data_builder_js, sizeof file_data_builder_js},
    {"data/builderModel.js", file_data_builderModel_js, sizeof file_data_builderModel_js},
    {"data/bulk.js", file_data_bulk_js, sizeof file_data_bulk_js},
    {"data/bulkDialog.js", file_data_bulkDialog_js, sizeof file_data_bulkDialog_js},
    {"data/columns.js", file_data_columns_js, sizeof file_data_columns_js},
    {"data/columnsDialog.js", file_data_columnsDialog_js, sizeof file_data_columnsDialog_js},
    {"data/createDatabase.js", file_data_createDatabase_js, sizeof file_data_createDatabase_js},
    {"data/createDocument.js", file_data_createDocument_js, sizeof file_data_createDocument_js},
    {"data/data.css", file_data_data_css, sizeof file_data_data_css},
    {"data/datePicker.js", file_data_datePicker_js, sizeof file_data_datePicker_js},
    {"data/deletion.js", file_data_deletion_js, sizeof file_data_deletion_js},
    {"data/documents.js", file_data_documents_js, sizeof file_data_documents_js},
    {"data/drawer.js", file_data_drawer_js, sizeof file_data_drawer_js},
    {"data/fieldEditor.js", file_data_fieldEditor_js, sizeof file_data_fieldEditor_js},
    {"data/filter.js", file_data_filter_js, sizeof file_data_filter_js},
    {"data/history.js", file_data_history_js, sizeof file_data_history_js},
    {"data/instants.js", file_data_instants_js, sizeof file_data_instants_js},
    {"data/jsonText.js", file_data_jsonText_js, sizeof file_data_jsonText_js},
    {"data/jsonView.js", file_data_jsonView_js, sizeof file_data_jsonView_js},
    {"data/merge.js", file_data_merge_js, sizeof file_data_merge_js},
    {"data/missing.js", file_data_missing_js, sizeof file_data_missing_js},
    {"data/order.js", file_data_order_js, sizeof file_data_order_js},
    {"data/page.js", file_data_page_js, sizeof file_data_page_js},
    {"data/pages.js", file_data_pages_js, sizeof file_data_pages_js},
    {"data/progress.js", file_data_progress_js, sizeof file_data_progress_js},
    {"data/query.js", file_data_query_js, sizeof file_data_query_js},
    {"data/queryCode.js", file_data_queryCode_js, sizeof file_data_queryCode_js},
    {"data/queryFailure.js", file_data_queryFailure_js, sizeof file_data_queryFailure_js},
    {"data/tools.js", file_data_tools_js, sizeof file_data_tools_js},
    {"data/transfer.js", file_data_transfer_js, sizeof file_data_transfer_js},
    {"data/transferDialogs.js", file_data_transferDialogs_js, sizeof file_data_transferDialogs_js},
    {"data/tree.js", file_data_tree_js, sizeof file_data_tree_js},
    {"data/undo.js", file_data_undo_js, sizeof file_data_undo_js},
    {"data/value.js", file_data_value_js, sizeof file_data_value_js},
    {"data/viewDialog.js", file_data_viewDialog_js, sizeof file_data_viewDialog_js},
    {"data/window.js", file_data_window_js, sizeof file_data_window_js},
    {"data/writes.js", file_data_writes_js, sizeof file_data_writes_js},
    {"files/crumbs.js", file_files_crumbs_js, sizeof file_files_crumbs_js},
    {"files/downloadLinks.js", file_files_downloadLinks_js, sizeof file_files_downloadLinks_js},
    {"files/file.js", file_files_file_js, sizeof file_files_file_js},
    {"files/files.css", file_files_files_css, sizeof file_files_files_css},
    {"files/page.js", file_files_page_js, sizeof file_files_page_js},
    {"files/sniff.js", file_files_sniff_js, sizeof file_files_sniff_js},
    {"files/store.js", file_files_store_js, sizeof file_files_store_js},
    {"files/thumbnails.js", file_files_thumbnails_js, sizeof file_files_thumbnails_js},
    {"files/uploads.js", file_files_uploads_js, sizeof file_files_uploads_js},
    {"functions/events.js", file_functions_events_js, sizeof file_functions_events_js},
    {"functions/functions.css", file_functions_functions_css, sizeof file_functions_functions_css},
    {"functions/list.js", file_functions_list_js, sizeof file_functions_list_js},
    {"functions/logs.js", file_functions_logs_js, sizeof file_functions_logs_js},
    {"functions/model.js", file_functions_model_js, sizeof file_functions_model_js},
    {"functions/page.js", file_functions_page_js, sizeof file_functions_page_js},
    {"functions/releases.js", file_functions_releases_js, sizeof file_functions_releases_js},
    {"functions/schedules.js", file_functions_schedules_js, sizeof file_functions_schedules_js},
    {"functions/store.js", file_functions_store_js, sizeof file_functions_store_js},
    {"hosting/channels.js", file_hosting_channels_js, sizeof file_hosting_channels_js},
    {"hosting/domains.js", file_hosting_domains_js, sizeof file_hosting_domains_js},
    {"hosting/model.js", file_hosting_model_js, sizeof file_hosting_model_js},
    {"hosting/page.js", file_hosting_page_js, sizeof file_hosting_page_js},
    {"hosting/releases.js", file_hosting_releases_js, sizeof file_hosting_releases_js},
    {"hosting/site.js", file_hosting_site_js, sizeof file_hosting_site_js},
    {"hosting/store.js", file_hosting_store_js, sizeof file_hosting_store_js},
    {"i18n/en/analytics.js", file_i18n_en_analytics_js, sizeof file_i18n_en_analytics_js},
    {"i18n/en/backups.js", file_i18n_en_backups_js, sizeof file_i18n_en_backups_js},
    {"i18n/en/common.js", file_i18n_en_common_js, sizeof file_i18n_en_common_js},
    {"i18n/en/config.js", file_i18n_en_config_js, sizeof file_i18n_en_config_js},
    {"i18n/en/data.js", file_i18n_en_data_js, sizeof file_i18n_en_data_js},
    {"i18n/en/files.js", file_i18n_en_files_js, sizeof file_i18n_en_files_js},
    {"i18n/en/functions.js", file_i18n_en_functions_js, sizeof file_i18n_en_functions_js},
    {"i18n/en/hosting.js", file_i18n_en_hosting_js, sizeof file_i18n_en_hosting_js},
    {"i18n/en/indexes.js", file_i18n_en_indexes_js, sizeof file_i18n_en_indexes_js},
    {"i18n/en/messages.js", file_i18n_en_messages_js, sizeof file_i18n_en_messages_js},
    {"i18n/en/operations.js", file_i18n_en_operations_js, sizeof file_i18n_en_operations_js},
    {"i18n/en/overview.js", file_i18n_en_overview_js, sizeof file_i18n_en_overview_js},
    {"i18n/en/requests.js", file_i18n_en_requests_js, sizeof file_i18n_en_requests_js},
    {"i18n/en/rules.js", file_i18n_en_rules_js, sizeof file_i18n_en_rules_js},
    {"i18n/en/settings.js", file_i18n_en_settings_js, sizeof file_i18n_en_settings_js},
    {"i18n/en/sign-in.js", file_i18n_en_sign_in_js, sizeof file_i18n_en_sign_in_js},
    {"i18n/en/users.js", file_i18n_en_users_js, sizeof file_i18n_en_users_js},
    {"i18n/pt-BR/analytics.js", file_i18n_pt_BR_analytics_js, sizeof file_i18n_pt_BR_analytics_js},
    {"i18n/pt-BR/backups.js", file_i18n_pt_BR_backups_js, sizeof file_i18n_pt_BR_backups_js},
    {"i18n/pt-BR/common.js", file_i18n_pt_BR_common_js, sizeof file_i18n_pt_BR_common_js},
    {"i18n/pt-BR/config.js", file_i18n_pt_BR_config_js, sizeof file_i18n_pt_BR_config_js},
    {"i18n/pt-BR/data.js", file_i18n_pt_BR_data_js, sizeof file_i18n_pt_BR_data_js},
    {"i18n/pt-BR/files.js", file_i18n_pt_BR_files_js, sizeof file_i18n_pt_BR_files_js},
    {"i18n/pt-BR/functions.js", file_i18n_pt_BR_functions_js, sizeof file_i18n_pt_BR_functions_js},
    {"i18n/pt-BR/hosting.js", file_i18n_pt_BR_hosting_js, sizeof file_i18n_pt_BR_hosting_js},
    {"i18n/pt-BR/indexes.js", file_i18n_pt_BR_indexes_js, sizeof file_i18n_pt_BR_indexes_js},
    {"i18n/pt-BR/messages.js", file_i18n_pt_BR_messages_js, sizeof file_i18n_pt_BR_messages_js},
    {"i18n/pt-BR/operations.js", file_i18n_pt_BR_operations_js, sizeof file_i18n_pt_BR_operations_js},
    {"i18n/pt-BR/overview.js", file_i18n_pt_BR_overview_js, sizeof file_i18n_pt_BR_overview_js},
    {"i18n/pt-BR/requests.js", file_i18n_pt_BR_requests_js, sizeof file_i18n_pt_BR_requests_js},
    {"i18n/pt-BR/rules.js", file_i18n_pt_BR_rules_js, sizeof file_i18n_pt_BR_rules_js},
    {"i18n/pt-BR/settings.js", file_i18n_pt_BR_settings_js, sizeof file_i18n_pt_BR_settings_js},
    {"i18n/pt-BR/sign-in.js", file_i18n_pt_BR_sign_in_js, sizeof file_i18n_pt_BR_sign_in_js},
    {"i18n/pt-BR/users.js", file_i18n_pt_BR_users_js, sizeof file_i18n_pt_BR_users_js},
    {"icon.svg", file_icon_svg, sizeof file_icon_svg},
    {"index.html", file_index_html, sizeof file_index_html},
    {"indexes/link.js", file_indexes_link_js, sizeof file_indexes_link_js},
    {"indexes/page.js", file_indexes_page_js, sizeof file_indexes_page_js},
    {"messages/composer.js", file_messages_composer_js, sizeof file_messages_composer_js},
    {"messages/credentials.js", file_messages_credentials_js, sizeof file_messages_credentials_js},
    {"messages/model.js", file_messages_model_js, sizeof file_messages_model_js},
    {"messages/page.js", file_messages_page_js, sizeof file_messages_page_js},
    {"messages/reach.js", file_messages_reach_js, sizeof file_messages_reach_js},
    {"messages/store.js", file_messages_store_js, sizeof file_messages_store_js},
    {"operations/jobs.js", file_operations_jobs_js, sizeof file_operations_jobs_js},
    {"operations/log.js", file_operations_log_js, sizeof file_operations_log_js},
    {"operations/metrics.js", file_operations_metrics_js, sizeof file_operations_metrics_js},
    {"operations/model.js", file_operations_model_js, sizeof file_operations_model_js},
    {"operations/page.js", file_operations_page_js, sizeof file_operations_page_js},
    {"overview/attention.js", file_overview_attention_js, sizeof file_overview_attention_js},
    {"overview/cockpit.js", file_overview_cockpit_js, sizeof file_overview_cockpit_js},
    {"overview/connect.js", file_overview_connect_js, sizeof file_overview_connect_js},
    {"overview/ids.js", file_overview_ids_js, sizeof file_overview_ids_js},
    {"overview/page.js", file_overview_page_js, sizeof file_overview_page_js},
    {"overview/projects.js", file_overview_projects_js, sizeof file_overview_projects_js},
    {"overview/recent.js", file_overview_recent_js, sizeof file_overview_recent_js},
    {"overview/snippets.js", file_overview_snippets_js, sizeof file_overview_snippets_js},
    {"requests/all.js", file_requests_all_js, sizeof file_requests_all_js},
    {"requests/group.js", file_requests_group_js, sizeof file_requests_group_js},
    {"requests/log.js", file_requests_log_js, sizeof file_requests_log_js},
    {"requests/logModel.js", file_requests_logModel_js, sizeof file_requests_logModel_js},
    {"requests/page.js", file_requests_page_js, sizeof file_requests_page_js},
    {"requests/recent.js", file_requests_recent_js, sizeof file_requests_recent_js},
    {"requests/store.js", file_requests_store_js, sizeof file_requests_store_js},
    {"rules/coverage.js", file_rules_coverage_js, sizeof file_rules_coverage_js},
    {"rules/diff.js", file_rules_diff_js, sizeof file_rules_diff_js},
    {"rules/diffView.js", file_rules_diffView_js, sizeof file_rules_diffView_js},
    {"rules/editor.js", file_rules_editor_js, sizeof file_rules_editor_js},
    {"rules/highlight.js", file_rules_highlight_js, sizeof file_rules_highlight_js},
    {"rules/indent.js", file_rules_indent_js, sizeof file_rules_indent_js},
    {"rules/monitor.js", file_rules_monitor_js, sizeof file_rules_monitor_js},
    {"rules/page.js", file_rules_page_js, sizeof file_rules_page_js},
    {"rules/playground.js", file_rules_playground_js, sizeof file_rules_playground_js},
    {"rules/recent.js", file_rules_recent_js, sizeof file_rules_recent_js},
    {"rules/release.js", file_rules_release_js, sizeof file_rules_release_js},
    {"rules/replay.js", file_rules_replay_js, sizeof file_rules_replay_js},
    {"rules/rules.css", file_rules_rules_css, sizeof file_rules_rules_css},
    {"rules/store.js", file_rules_store_js, sizeof file_rules_store_js},
    {"settings/account.js", file_settings_account_js, sizeof file_settings_account_js},
    {"settings/apps.js", file_settings_apps_js, sizeof file_settings_apps_js},
    {"settings/audit.js", file_settings_audit_js, sizeof file_settings_audit_js},
    {"settings/methods.js", file_settings_methods_js, sizeof file_settings_methods_js},
    {"settings/page.js", file_settings_page_js, sizeof file_settings_page_js},
    {"settings/trail.js", file_settings_trail_js, sizeof file_settings_trail_js},
    {"shell/pages.js", file_shell_pages_js, sizeof file_shell_pages_js},
    {"shell/shell.css", file_shell_shell_css, sizeof file_shell_shell_css},
    {"shell/shell.js", file_shell_shell_js, sizeof file_shell_shell_js},
    {"shell/store.js", file_shell_store_js, sizeof file_shell_store_js},
    {"sign-in/form.js", file_sign_in_form_js, sizeof file_sign_in_form_js},
    {"sign-in/page.js", file_sign_in_page_js, sizeof file_sign_in_page_js},
    {"sign-in/qr.js", file_sign_in_qr_js, sizeof file_sign_in_qr_js},
    {"users/names.js", file_users_names_js, sizeof file_users_names_js},
    {"users/page.js", file_users_page_js, sizeof file_users_page_js},
    {"users/store.js", file_users_store_js, sizeof file_users_store_js},
    {"users/user.js", file_users_user_js, sizeof file_users_user_js},
    {"vars.css", file_vars_css, sizeof file_vars_css},
    {NULL, NULL, 0},
};

const struct console_file *console_files(void) { return files; }
