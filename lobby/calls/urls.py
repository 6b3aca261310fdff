"""Addresses of calls."""

from django.urls import path

from lobby.calls import views

urlpatterns = [
    path("account/calls/device/", views.device, name="calls-device"),
    path("account/calls/forget/", views.forget, name="calls-forget"),
    path("account/calls/letters/", views.letters, name="calls-letters"),
]
